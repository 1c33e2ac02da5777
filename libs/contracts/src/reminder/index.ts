export * from './reminder.model';
export * from './reminder.errors';
export * from './reminder.events';
export * from './reminder-owner.contract';
export * from './reminder.contract';
