import { allowCallers, defineModule, event, eventCatalog, Field, internal, value } from '@groupware/contracts';

const OPEN = allowCallers('declared by a test');

/** Query of the operations of this test service. */
class NoteQuery {
  @Field.text({ doc: 'what to note' }) text!: string;
}

/** A service for the kit's own specs. */
export const kitTest = defineModule('kit-test', {
  note: internal({
    access: OPEN,
    calledBy: 'everyService',
    doc: 'Stores a note and tells about it',
    query: NoteQuery,
    reply: value<number>('notes stored'),
  }),
  notes: internal({
    access: OPEN,
    calledBy: 'everyService',
    doc: 'Notes stored by call and by event',
    reply: value<string[]>('notes'),
  }),
});

/** Its events. */
export const kitTestEvents = eventCatalog('kit-test', { noted: event<{ text: string }>('A note was stored') });
