/** Every module of the product, imported when a process asks for it. The generator adds a line for a new one. */
export const modules = {
  identity: () => import('@groupware/identity'),
  folders: () => import('@groupware/folders-service'),
  calendar: () => import('@groupware/calendar'),
  'mail-account': () => import('@groupware/mail-account'),
  freebusy: () => import('@groupware/freebusy'),
  attachments: () => import('@groupware/attachments'),
  admin: () => import('@groupware/admin'),
  push: () => import('@groupware/push'),
  settings: () => import('@groupware/settings'),
  contacts: () => import('@groupware/contacts'),
  mail: () => import('@groupware/mail'),
  'outgoing-mail': () => import('@groupware/outgoing-mail'),
  tasks: () => import('@groupware/tasks'),
  sso: () => import('@groupware/sso'),
  files: () => import('@groupware/files'),
  'mail-filter': () => import('@groupware/mail-filter'),
  gateway: () => import('@groupware/gateway'),
};

/** Name of a module in GROUPWARE_MODULES. */
export type ModuleName = keyof typeof modules;
