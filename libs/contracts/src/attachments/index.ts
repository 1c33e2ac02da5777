export * from './attachment.access';
export * from './attachment.model';
export * from './attachment.errors';
export * from './attachment.events';
export * from './attachment.properties';
export * from './attachment.contract';
export * from './attachment-files.contract';
export * from './attachments-quota.contract';
