import { ProvisioningErrors } from '@groupware/contracts';

/** Refuses null for required fields. @throws PROV-0019 */
export function requireNoNull<T extends object>(change: T, fields: readonly (keyof T & string)[]): void {
  const removed = fields.find((field) => change[field] === null);
  if (removed !== undefined) throw ProvisioningErrors.invalidField(removed, 'cannot be removed');
}
