/**
 * The configuration tree below `modules`, as far as it follows from what a user may use: clients show their parts by it
 * (API page "Small modules", config).
 */
export function toModuleSettings(capabilities: ReadonlySet<string>): Record<string, unknown> {
  const has = (name: string): boolean => capabilities.has(name);
  const part = (name: string, further: object = {}) => ({ module: has(name), ...further });
  return {
    portal: part('portal'),
    mail: part('webmail'),
    calendar: part('calendar', { calendar_conflict: has('conflict_handling'), calendar_freebusy: has('freebusy') }),
    contacts: part('contacts'),
    tasks: part('tasks', { delegate_tasks: has('delegate_tasks') }),
    infostore: part('infostore'),
    interfaces: { ical: has('ical'), vcard: has('vcard'), syncml: false },
    folder: {
      public_folders: has('edit_public_folders'),
      read_create_shared_folders: has('read_create_shared_folders'),
    },
    'com.example.user.passwordchange': part('edit_password'),
    'com.example.user.personaldata': { module: true },
    'com.example.group': { enabled: has('edit_group') },
    'com.example.resource': { enabled: has('edit_resource') },
    'com.example.subscribe': { enabled: has('subscription') },
    olox20: { active: has('olox20'), module: has('olox20') },
  };
}
