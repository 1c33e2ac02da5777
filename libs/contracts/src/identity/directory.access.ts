import { defineRights, readRight, writeRight, type AppScope } from '../kit';

/** Rights on users, groups and resources of the own context. */
export const DIRECTORY_RIGHTS = defineRights('directory', {
  seeUser: readRight('Other users in full only with the global address book; else names and addresses'),
  readPrivateData: readRight('The private data of oneself; of all users for the administrator of the context'),
  editPerson: writeRight('The person of oneself; all for the administrator of the context'),
  editPrivateData: writeRight('The private data of oneself; of all users for the administrator of the context'),
  editGroups: writeRight('The capability edit_group'),
  editResources: writeRight('The capability edit_resource'),
});

/** Scopes that open users and groups to applications: whose objects people take part in or share. */
export const PEOPLE_SCOPES: readonly AppScope[] = ['read_contacts', 'read_calendar', 'read_tasks', 'read_drive'];

/** Rights of operators on contexts. */
export const CONTEXT_RIGHTS = defineRights('context', {
  responsible: readRight('A reseller reaches contexts of its own subtree only; other operators all'),
});
