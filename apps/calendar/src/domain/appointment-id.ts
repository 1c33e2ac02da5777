import { ObjectErrors } from '@groupware/contracts';

/** The number of an appointment id; anything else is an appointment that does not exist (OX-0001). */
export function parseAppointmentId(id: string, contextId: number): number {
  if (!/^\d{1,9}$/.test(id)) throw ObjectErrors.notFound(id, contextId);
  return Number(id);
}
