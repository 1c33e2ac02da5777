import { action, allowCallers, defineModule, Field, many, PASSWORD_SCOPE, value } from '../kit';

const OWN = allowCallers('capabilities of the user of the session only');

/** One capability of the user. */
export class Capability {
  @Field.text({ doc: 'Lower-case name' }) id!: string;
  @Field.any({ doc: 'Reserved; an empty object' }) attributes!: Record<string, unknown>;
}

/** Name of a capability. */
export class CapabilityQuery {
  @Field.text({ doc: 'Name of the capability', maxLength: 256 }) id!: string;
}

/** Capabilities of the user: from module access, configuration and installed parts. */
export const capabilities = defineModule(
  'capabilities',
  {
    all: action({
      access: OWN,
      appScopes: [PASSWORD_SCOPE],
      auth: 'session',
      guests: true,
      publicSession: true,
      http: 'GET',
      doc: 'Lists the capabilities of the user',
      reply: many(Capability),
    }),
    get: action({
      access: OWN,
      appScopes: [PASSWORD_SCOPE],
      guests: true,
      publicSession: true,
      auth: 'session',
      http: 'GET',
      doc: 'One capability, or an empty object when the user lacks it',
      query: CapabilityQuery,
      reply: value<Capability | Record<string, never>>('{id, attributes} or {}'),
    }),
  },
  { service: 'identity' },
);
