export * from './clamd-scanner';
export * from './virus-scan.config';
export * from './virus-scanner';
export * from './virus-scanner.provider';
