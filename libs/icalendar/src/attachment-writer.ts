import type { CalendarAttachment } from './calendar-event';
import { formatAttachment } from './event-writer';

const BEGIN = 'BEGIN:VEVENT\r\n';

/**
 * Adds attachments to a calendar that was written before: to each VEVENT those at its position. Properties of a component have
 * no order (RFC 5545, section 3.6), and no line but the begin of a component reads so: folded ones begin with a space.
 */
export function addAttachments(text: string, attachments: readonly (readonly CalendarAttachment[])[]): string {
  const [head = '', ...events] = text.split(new RegExp(`^${BEGIN}`, 'm'));
  const written = events.map((event, index) => {
    const lines = (attachments[index] ?? []).map(formatAttachment);
    return BEGIN + lines.join('') + event;
  });
  return head + written.join('');
}
