import { Injectable } from '@nestjs/common';
import { DirectoryErrors, directory, propertyByKey, type ConfigProperties } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Logger, Properties } from '@groupware/service-kit';
import { Accounts } from '../accounts/accounts';

/** A request for properties: requester and subject. */
export interface PropertyRequest {
  readonly requester: string;
  readonly context?: number;
  readonly user?: number;
}

const hasOwn = (values: ConfigProperties, key: string): boolean => Object.hasOwn(values, key);

/** Values of the cascade as they are set, without the defaults of the code. */
@Injectable()
export class EffectiveProperties {
  private readonly log = Logger.for('admin.configuration');

  constructor(
    private readonly caller: Caller,
    private readonly properties: Properties,
    private readonly accounts: Accounts,
  ) {}

  /** The server's value of a property, or undefined. */
  findServerValue(key: string, question: PropertyRequest): string | undefined {
    this.logAccess(key, question);
    return this.properties.serverText(key);
  }

  /** The server's values of names that begin so, sorted. */
  listServerValues(prefix: string, question: PropertyRequest): ConfigProperties {
    this.logAccess(`${prefix}*`, question);
    return filterSorted(prefix, this.properties.serverTexts());
  }

  /** The value for a user, or undefined. @throws USR-0010 also for an unknown context */
  async findUserValue(key: string, question: Required<PropertyRequest>): Promise<string | undefined> {
    this.logAccess(key, question);
    const own = await this.loadScopedValues(question);
    return hasOwn(own, key) && canBeScoped(key) ? own[key] : this.properties.serverText(key);
  }

  /** The values for a user of names that begin so, sorted. @throws USR-0010 also for an unknown context */
  async listUserValues(prefix: string, question: Required<PropertyRequest>): Promise<ConfigProperties> {
    this.logAccess(`${prefix}*`, question);
    const own = Object.entries(await this.loadScopedValues(question)).filter(([key]) => canBeScoped(key));
    return filterSorted(prefix, new Map([...this.properties.serverTexts(), ...own]));
  }

  private async loadScopedValues({ context, user }: Required<PropertyRequest>): Promise<ConfigProperties> {
    const tenant = { contextId: context };
    if (!(await this.accounts.findAccount(tenant, { user }))) throw DirectoryErrors.userNotFound(user, context);
    return this.caller.call(directory.properties, {
      principal: { kind: 'internal', service: 'admin', ...tenant },
      query: { user },
    });
  }

  /** Logs requester and property name, never a value. */
  private logAccess(property: string, { requester: asker, context, user }: PropertyRequest): void {
    this.log.info({ asker, property, ...(context === undefined ? {} : { context, user }) }, 'configuration looked up');
  }
}

/** False for properties of the server scope only, whose other values are not effective. */
function canBeScoped(key: string): boolean {
  const declaration = propertyByKey(key);
  return !declaration || declaration.scopes.some((scope) => scope !== 'server');
}

const filterSorted = (prefix: string, values: ReadonlyMap<string, string>): ConfigProperties =>
  Object.fromEntries([...values].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1)));
