import {
  CatalogueError,
  jsonText,
  reply,
  SAML_METADATA,
  SamlErrors,
  samlMetadata,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SamlProvider } from '../saml/saml-provider';
import { renderError } from '../web/pages';

/** Describes this product to the identity provider of a tenant. */
@Handles(samlMetadata.read)
export class SamlMetadataHandler implements Handler<typeof samlMetadata.read> {
  constructor(private readonly provider: SamlProvider) {}

  async handle({ query, edge }: CallOf<typeof samlMetadata.read>) {
    try {
      const tenant = this.provider.require(query.tenant, edge!);
      if (!tenant.value(SAML_METADATA)) throw SamlErrors.noTenant();
      return reply<undefined>(jsonText(this.provider.describe(tenant)), {
        headers: { 'Content-Type': 'application/samlmetadata+xml; charset=UTF-8' },
      });
    } catch (error) {
      if (error instanceof CatalogueError) return renderError(error, edge!);
      throw error;
    }
  }
}
