import { RestErrors } from '../edge/edge.errors';
import { defineModule, Field, json, none, plain, rest, restAt } from '../kit';
import { ProvisioningErrors, ResellerErrors } from './identity.errors';
import { DeleteQuery, PageQuery } from './provisioning.queries';
import { RESELLER_NAME, ResellerData, ResellerInput, ResellerPage } from './reseller.models';

/** Place `{reseller}`. */
export class ResellerPath {
  @Field.text({ doc: 'Name of the reseller', pattern: RESELLER_NAME }) reseller!: string;
}

const path = '/admin/v1/resellers/{reseller}';

/** Administrators who answer for contexts of their own: the master administrator makes them. */
export const resellers = defineModule(
  'resellers',
  {
    listResellers: rest<PageQuery, undefined, ResellerPage>({
      http: 'GET',
      path: '/admin/v1/resellers',
      callers: ['master'],
      doc: 'Lists resellers',
      query: PageQuery,
      reply: plain<ResellerPage>(ResellerPage),
    }),
    getReseller: restAt(ResellerPath, {
      http: 'GET',
      path,
      callers: ['master'],
      doc: 'Reads a reseller',
      reply: plain<ResellerData>(ResellerData),
      errors: [ResellerErrors.notFound],
    }),
    putReseller: restAt(ResellerPath, {
      http: 'PUT',
      path,
      callers: ['master'],
      edge: true,
      doc: 'Creates a reseller (201) or replaces what is written of it (200)',
      body: json(ResellerInput),
      reply: plain<ResellerData>(ResellerData),
      repeatable: true,
      errors: [
        ResellerErrors.parentUnknown,
        ResellerErrors.circle,
        ResellerErrors.passwordMissing,
        ProvisioningErrors.propertyNotSettable,
        ProvisioningErrors.badPropertyValue,
        RestErrors.versionMismatch,
      ],
    }),
    deleteReseller: restAt(ResellerPath, {
      http: 'DELETE',
      path,
      callers: ['master'],
      edge: true,
      doc: 'Deletes a reseller that has neither contexts nor resellers below it',
      query: DeleteQuery,
      reply: none(204),
      errors: [ResellerErrors.notFound, ResellerErrors.inUse, RestErrors.versionMismatch],
    }),
  },
  { service: 'identity' },
);
