export * from './davclient.contract';
export * from './davclient.errors';
export * from './davclient.properties';
export * from './onboarding.contract';
