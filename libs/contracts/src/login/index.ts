export * from './login.contract';
export * from './login.errors';
export * from './session.properties';
export * from './session-management.contract';
