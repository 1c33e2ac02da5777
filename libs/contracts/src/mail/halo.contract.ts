import { calendar } from '../calendar/calendar.contract';
import { contacts } from '../contacts/contacts.contract';
import { RequestErrors } from '../edge/edge.errors';
import { user } from '../identity/user.contract';
import { action, allowCallers, defineModule, errorCatalog, Field, json, value, type Operation } from '../kit';
import { MailErrors } from './mail.errors';

/** Errors of facts about persons (prefix HALO; the public API lists no numbers). */
export const HaloErrors = errorCatalog('HALO', {
  unknownProvider: { number: 1, category: 'USER_INPUT', message: 'There is no provider %1.', http: 404 },
});

/** Which facts, and how they are told. */
class HaloFactsQuery {
  @Field.text({
    doc: 'com.example.halo.contacts, com.example.halo.appointments or com.example.halo.mail',
    maxLength: 255,
  })
  provider!: string;
  @Field.columns({ doc: 'Columns of contacts, appointments or mails' }) columns!: string[];
  @Field.text({ doc: 'Zone of the times; default: that of the user', optional: true, maxLength: 128 })
  timezone?: string;
  @Field.time({ doc: 'Appointments: begin of the range; needed', optional: true }) start?: number;
  @Field.time({ doc: 'Appointments: end of the range; needed', optional: true }) end?: number;
  @Field.text({ doc: 'Column to sort by, only together with order', optional: true, maxLength: 64 }) sort?: string;
  @Field.text({ doc: 'asc or desc', optional: true, values: ['asc', 'desc', 'ASC', 'DESC'] }) order?: string;
  @Field.int({ doc: 'Most rows; default of mails: 10', optional: true, min: 0 }) limit?: number;
}

const address = Field.text({ doc: 'Mail address', optional: true, maxLength: 1024 });
const internalUser = Field.int({ doc: 'User', optional: true, min: 0 });

/** About whom. */
export class HaloQuery extends HaloFactsQuery {
  @address email1?: string;
  @address email2?: string;
  @address email3?: string;
  @internalUser internal_userid?: number;
}

/** About the person of the body. */
export class HaloByPutQuery extends HaloFactsQuery {}

/** A person, as contacts tell one. */
export class HaloPerson {
  @address email1?: string;
  @address email2?: string;
  @address email3?: string;
  @internalUser internal_userid?: number;
  @Field.int({ doc: 'Other spelling of internal_userid', optional: true, min: 0 }) user_id?: number;
}

/** Operations of other modules that tell the facts, to the user who asks. */
export const HALO_CALLS: readonly Operation[] = [contacts.search, calendar.all, user.get];

const OWN_VIEW = allowCallers('tells what the modules that are asked tell the user of the session');
const investigate = {
  access: OWN_VIEW,
  auth: 'session',
  reads: true,
  action: 'investigate',
  reply: value<unknown[][]>('rows of the module of the provider'),
  deadlineMs: 60_000,
  errors: [
    HaloErrors.unknownProvider,
    RequestErrors.missingParameter,
    RequestErrors.noModulePermission,
    MailErrors.missingParameter,
    MailErrors.badParameter,
  ],
} as const;

/** Facts about a person that the user can see. */
export const halo = defineModule(
  'halo/contact',
  {
    services: action({
      access: OWN_VIEW,
      auth: 'session',
      http: 'GET',
      doc: 'Providers of facts about persons that the user may ask',
      reply: value<string[]>('ids of providers'),
    }),
    investigate: action({
      ...investigate,
      http: 'GET',
      doc: 'Tells contacts with an address of a person, appointments in common, or mails from and to the person',
      query: HaloQuery,
    }),
    investigateByPut: action({
      ...investigate,
      http: 'PUT',
      doc: 'The same for the person of the body',
      query: HaloByPutQuery,
      body: json(HaloPerson),
    }),
  },
  { service: 'mail' },
);
