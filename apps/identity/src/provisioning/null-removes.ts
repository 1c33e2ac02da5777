import { ProvisioningErrors } from '@groupware/contracts';

/** Refuses null, which removes a value, for fields that an object always has. @throws PROV-0019 */
export function expectNoNull<T extends object>(change: T, fields: readonly (keyof T & string)[]): void {
  const removed = fields.find((field) => change[field] === null);
  if (removed !== undefined) throw ProvisioningErrors.invalidField(removed, 'cannot be removed');
}
