export { ensureAppointments } from './demo-appointments';
export { EXIT } from './exit';
export { run } from './program';
export type { Terminal } from './terminal';
