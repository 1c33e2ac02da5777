export * from './appointment.model';
export * from './calendar.errors';
export * from './calendar.events';
export * from './calendar.properties';
export * from './calendar.contract';
export * from './calendar-views.contract';
export * from './icalendar.contract';
export * from './calendar-folders.contract';
