export * from './event.model';
export * from './chronos.queries';
export * from './chronos.contract';
export * from './chronos-changes.contract';
export * from './chronos-attachments.contract';
export * from './chronos-alarms.contract';
