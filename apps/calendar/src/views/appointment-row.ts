import type { Appointment } from '../domain/appointment';
import { toAppointmentData, type WireView } from '../domain/appointment-wire';
import { appointmentColumns, expandedColumns } from '../persistence/appointment.columns';

const model = appointmentColumns({ folder: 'a.folder_id', calendarUser: '$2' });

/** Writes rows of the columns of a request; unknown ones are SVL-0010. */
export function appointmentRow(columns: readonly string[]): (appointment: Appointment, view: WireView) => unknown[] {
  const properties = expandedColumns(columns).map((column) => model.field(column).property);
  return (appointment, view) => {
    const data = toAppointmentData(appointment, view) as unknown as Record<string, unknown>;
    return properties.map((property) => data[property] ?? null);
  };
}
