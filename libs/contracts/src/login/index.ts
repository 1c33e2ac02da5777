export * from './login.contract';
export * from './login.errors';
export * from './session.properties';
export * from './session-management.contract';
export * from './password.contract';
export * from './password.properties';
