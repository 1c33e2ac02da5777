export * from './app-passwords.contract';
export * from './app-passwords.errors';
export * from './app-passwords.properties';
export * from './app-scopes';
