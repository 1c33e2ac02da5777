import { Injectable } from '@nestjs/common';
import { DirectoryErrors, directory, propertyByKey, type ConfigProperties } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Logger, Properties } from '@groupware/service-kit';
import { Accounts } from '../accounts';

/** Who asks, and about whom. */
export interface PropertyQuestion {
  readonly asker: string;
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
  ofServer(key: string, question: PropertyQuestion): string | undefined {
    this.note(key, question);
    return this.properties.serverText(key);
  }

  /** The server's values of names that begin so, sorted. */
  listOfServer(prefix: string, question: PropertyQuestion): ConfigProperties {
    this.note(`${prefix}*`, question);
    return sorted(prefix, this.properties.serverTexts());
  }

  /** The value for a user, or undefined. @throws USR-0010 also for an unknown context */
  async ofUser(key: string, question: Required<PropertyQuestion>): Promise<string | undefined> {
    this.note(key, question);
    const own = await this.scoped(question);
    return hasOwn(own, key) && mayDiffer(key) ? own[key] : this.properties.serverText(key);
  }

  /** The values for a user of names that begin so, sorted. @throws USR-0010 also for an unknown context */
  async listOfUser(prefix: string, question: Required<PropertyQuestion>): Promise<ConfigProperties> {
    this.note(`${prefix}*`, question);
    const own = Object.entries(await this.scoped(question)).filter(([key]) => mayDiffer(key));
    return sorted(prefix, new Map([...this.properties.serverTexts(), ...own]));
  }

  private async scoped({ context, user }: Required<PropertyQuestion>): Promise<ConfigProperties> {
    const tenant = { contextId: context };
    if (!(await this.accounts.find(tenant, { user }))) throw DirectoryErrors.userNotFound(user, context);
    return this.caller.call(directory.properties, {
      principal: { kind: 'internal', service: 'admin', ...tenant },
      query: { user },
    });
  }

  /** Who asked for which name; never a value. */
  private note(property: string, { asker, context, user }: PropertyQuestion): void {
    this.log.info({ asker, property, ...(context === undefined ? {} : { context, user }) }, 'configuration looked up');
  }
}

/** False for properties that only the server has: what somebody else set for them is not in force. */
function mayDiffer(key: string): boolean {
  const declaration = propertyByKey(key);
  return !declaration || declaration.scopes.some((scope) => scope !== 'server');
}

const sorted = (prefix: string, values: ReadonlyMap<string, string>): ConfigProperties =>
  Object.fromEntries([...values].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1)));
