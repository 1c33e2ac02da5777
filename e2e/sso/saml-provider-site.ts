import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeKeyPair } from './saml-identity-provider';

const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const NAME_ID = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';
const keys = makeKeyPair('provider site');

/** What is used of samlify: its own types bring those of browsers with them. */
interface Samlify {
  setSchemaValidator(validator: { validate(xml: string): Promise<string> }): void;
  IdentityProvider(settings: object): SamlEntity;
  ServiceProvider(settings: object): SamlEntity;
  readonly SamlLib: {
    readonly defaultLoginResponseTemplate: { readonly context: string };
    replaceTagsByValue(template: string, values: Readonly<Record<string, string>>): string;
  };
}
interface SamlEntity {
  parseLoginRequest(product: SamlEntity, binding: string, request: object): Promise<ReadMessage>;
  parseLogoutRequest(product: SamlEntity, binding: string, request: object): Promise<ReadMessage>;
  parseLogoutResponse(product: SamlEntity, binding: string, request: object): Promise<ReadMessage>;
  createLoginResponse(
    product: SamlEntity,
    about: object,
    binding: string,
    user: object,
    options: object,
  ): Promise<WrittenMessage & { entityEndpoint: string }>;
  createLogoutRequest(product: SamlEntity, binding: string, user: object): WrittenMessage;
  createLogoutResponse(product: SamlEntity, about: object, binding: string, options: object): WrittenMessage;
}
interface ReadMessage {
  readonly extract: {
    readonly request?: { readonly id: string; readonly assertionConsumerServiceUrl: string };
    readonly response?: { readonly inResponseTo?: string };
    readonly issuer?: string;
  };
}
interface WrittenMessage {
  readonly context: string;
}

const samlify = jest.requireActual<Samlify>('samlify');
// What it reads is checked by the product's own tests; here the signatures count.
samlify.setSchemaValidator({ validate: async () => 'not checked' });

/** An identity provider made by others, as a site with pages: it checks signed requests and sends signed, encrypted assertions. */
export class SamlProviderSite {
  private readonly provider: SamlEntity;
  private product: SamlEntity | undefined;
  /** How logouts that it began ended. */
  readonly logouts: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {
    this.provider = samlify.IdentityProvider({
      entityID: this.entityId,
      privateKey: keys.key,
      signingCert: keys.certificate,
      wantAuthnRequestsSigned: true,
      isAssertionEncrypted: true,
      dataEncryptionAlgorithm: 'http://www.w3.org/2009/xmlenc11#aes256-gcm',
      nameIDFormat: [NAME_ID],
      singleSignOnService: [{ Binding: REDIRECT, Location: `${url}/login` }],
      singleLogoutService: [{ Binding: REDIRECT, Location: `${url}/logout` }],
    });
  }

  static async start(): Promise<SamlProviderSite> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const site = new SamlProviderSite(server, `http://localhost:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => {
      site.answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
    });
    return site;
  }

  get entityId(): string {
    return `${this.url}/metadata`;
  }

  /** The certificate of its signatures, base64. */
  get certificateText(): string {
    return keys.certificateText;
  }

  /** Takes the product for a service provider. @param metadata as the product publishes it */
  trust(metadata: string): void {
    this.product = samlify.ServiceProvider({
      metadata,
      wantLogoutRequestSigned: true,
      wantLogoutResponseSigned: true,
    });
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = new URL(request.url!, this.url);
    const query = Object.fromEntries(address.searchParams);
    const signed = { query, octetString: address.search.slice(1).split('&Signature=')[0]! };
    const show = (html: string) => response.setHeader('content-type', 'text/html').end(html);
    const leadTo = (target: string) => response.writeHead(302, { location: target }).end();
    switch (address.pathname) {
      case '/login':
        return void show(`<form action="/answer">${hidden(query)}<input name="login"><button>in</button></form>`);
      case '/answer':
        return void show(await this.answerPage(query));
      case '/logout': {
        if (query.SAMLResponse) {
          const { extract } = await this.provider.parseLogoutResponse(this.product!, 'redirect', signed);
          this.logouts.push(String(extract.response?.inResponseTo));
          return void show('<p id="left">logged out</p>');
        }
        const { extract } = await this.provider.parseLogoutRequest(this.product!, 'redirect', signed);
        const options = { relayState: query.RelayState ?? '' };
        const { context } = this.provider.createLogoutResponse(this.product!, { extract }, 'redirect', options);
        return void leadTo(context);
      }
      case '/leave': {
        const user = { logoutNameID: query.login!, sessionIndex: '' };
        return void leadTo(this.provider.createLogoutRequest(this.product!, 'redirect', user).context);
      }
      default:
        return void response.writeHead(404).end();
    }
  }

  /** A form that sends the assertion about a user to the product. */
  private async answerPage({ login, ...query }: Record<string, string>): Promise<string> {
    const octetString = ['SAMLRequest', 'RelayState', 'SigAlg']
      .map((name) => `${name}=${encodeURIComponent(query[name]!)}`)
      .join('&');
    const { extract } = await this.provider.parseLoginRequest(this.product!, 'redirect', { query, octetString });
    const options = {
      encryptThenSign: true,
      customTagReplacement: () => this.writeResponse(login!, extract),
    };
    const sent = await this.provider.createLoginResponse(this.product!, { extract }, 'post', {}, options);
    const fields = hidden({ SAMLResponse: sent.context, RelayState: query.RelayState! });
    return `<form method="post" action="${sent.entityEndpoint}">${fields}<button>go on</button></form>`;
  }

  /** A response about a user: what samlify writes by itself lacks the statement of the login, which the profile of browsers demands. */
  private writeResponse(login: string, { request, issuer }: ReadMessage['extract']): { id: string; context: string } {
    const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
    const [id, assertion] = [`_${randomUUID()}`, `_${randomUUID()}`];
    const acs = request!.assertionConsumerServiceUrl;
    const values = {
      ...{ ID: id, AssertionID: assertion, Issuer: this.entityId, IssueInstant: at(0), InResponseTo: request!.id },
      ...{ Destination: acs, SubjectRecipient: acs, Audience: issuer!, NameIDFormat: NAME_ID, NameID: login },
      ...{ ConditionsNotBefore: at(-10), ConditionsNotOnOrAfter: at(120), AuthnInstant: at(0) },
      ...{ SubjectConfirmationDataNotOnOrAfter: at(120), StatusCode: 'urn:oasis:names:tc:SAML:2.0:status:Success' },
      SessionIndex: `_${randomUUID()}`,
    };
    const template = samlify.SamlLib.defaultLoginResponseTemplate.context.replace(
      '{AuthnStatement}{AttributeStatement}',
      STATEMENT,
    );
    return { id, context: samlify.SamlLib.replaceTagsByValue(template, values) };
  }
}

const STATEMENT =
  '<saml:AuthnStatement AuthnInstant="{AuthnInstant}" SessionIndex="{SessionIndex}"><saml:AuthnContext><saml:AuthnContextClassRef>' +
  'urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>';

const hidden = (fields: Record<string, string>): string =>
  Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${value.replaceAll('"', '&quot;')}">`)
    .join('');
