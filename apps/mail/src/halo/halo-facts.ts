import {
  calendar,
  contacts,
  HaloErrors,
  RequestErrors,
  user as users,
  type HaloPerson,
  type HaloQuery,
  type UserPrincipal,
  type UserRequest,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Injectable } from '@nestjs/common';
import { PersonMails } from './person-mails';

/** Providers by the capability that a user needs for them. */
const PROVIDERS = {
  'com.example.halo.contacts': 'contacts',
  'com.example.halo.appointments': 'calendar',
  'com.example.halo.mail': 'webmail',
} as const;
type Provider = keyof typeof PROVIDERS;
const VENDOR = /^com\.openexchange\./;
/** Columns of those who take part: participants with their addresses, and users. */
const PARTICIPANT_COLUMNS = ['220', '221'] as const;

/** About whom something is asked. */
interface Person {
  readonly userId?: number;
  /** Lower case. */
  readonly addresses: readonly string[];
}

type FactsQuery = Omit<HaloQuery, 'email1' | 'email2' | 'email3' | 'internal_userid'>;

/** Tells what a user sees of a person. The modules that are asked decide about it. */
@Injectable()
export class HaloFacts {
  constructor(
    private readonly caller: Caller,
    private readonly mails: PersonMails,
  ) {}

  /** Providers that the user may ask. */
  listProviders({ capabilities }: UserPrincipal): string[] {
    return Object.entries(PROVIDERS).flatMap(([id, needed]) => (capabilities.includes(needed) ? [id] : []));
  }

  /** Rows about a person. @throws HALO-0001, SVL-0002, SVL-0016, and what the module of the provider throws */
  async investigate(request: UserRequest, query: FactsQuery, named: HaloPerson): Promise<unknown[][]> {
    const { principal } = request;
    const provider = query.provider.replace(VENDOR, 'com.example.');
    if (!isProvider(provider)) throw HaloErrors.unknownProvider(query.provider);
    const needed = PROVIDERS[provider];
    if (!principal.capabilities.includes(needed)) throw RequestErrors.noModulePermission(needed);
    if (query.columns.length === 0) throw RequestErrors.missingParameter('columns');
    const person = await this.resolvePerson(principal, named);
    if (person.addresses.length === 0 && person.userId === undefined) return [];
    if (provider === 'com.example.halo.contacts') return this.findContacts(principal, query, person);
    if (provider === 'com.example.halo.appointments') return this.findAppointments(principal, query, person);
    return this.mails.findMails(request, query, person.addresses);
  }

  /** Adds the address of a user. */
  private async resolvePerson(principal: UserPrincipal, named: HaloPerson): Promise<Person> {
    const { email1, email2, email3, internal_userid: internal, user_id: other } = named;
    const addresses = [email1, email2, email3].flatMap((address) => address?.trim().toLowerCase() || []);
    const userId = internal || other || undefined;
    if (userId === undefined) return { addresses: [...new Set(addresses)] };
    const found = await this.caller.call(users.get, { principal, query: { id: String(userId) } });
    const own = found.email1?.toLowerCase();
    return { userId, addresses: [...new Set([...addresses, ...(own ? [own] : [])])] };
  }

  private async findContacts(
    principal: UserPrincipal,
    { columns, timezone, sort, order, limit }: FactsQuery,
    { addresses }: Person,
  ): Promise<unknown[][]> {
    const wanted = [...columns, '1', '20'];
    const found = new Map<string, unknown[]>();
    for (const address of addresses) {
      const rows = await this.caller.call(contacts.search, {
        principal,
        query: {
          columns: wanted,
          ...(timezone === undefined ? {} : { timezone }),
          ...(sort === undefined ? {} : { sort }),
          ...(order === undefined ? {} : { order }),
        },
        body: { email1: address, email2: address, email3: address, orSearch: true },
      });
      for (const row of rows) found.set(JSON.stringify(row.slice(columns.length)), row.slice(0, columns.length));
    }
    return [...found.values()].slice(0, limit);
  }

  private async findAppointments(
    principal: UserPrincipal,
    { columns, start, end, timezone, sort, order, limit }: FactsQuery,
    person: Person,
  ): Promise<unknown[][]> {
    if (start === undefined) throw RequestErrors.missingParameter('start');
    if (end === undefined) throw RequestErrors.missingParameter('end');
    const rows = await this.caller.call(calendar.all, {
      principal,
      query: {
        ...{ start, end, columns: [...columns, ...PARTICIPANT_COLUMNS] },
        ...(timezone === undefined ? {} : { timezone }),
        ...(sort === undefined || order === undefined ? {} : { sort, order }),
      },
    });
    return rows
      .filter((row) => {
        const [participants, attending] = row.slice(columns.length);
        return isIn(person, participants) || isIn(person, attending);
      })
      .map((row) => row.slice(0, columns.length))
      .slice(0, limit);
  }
}

const isProvider = (id: string): id is Provider => Object.hasOwn(PROVIDERS, id);

/** Whether a person is among participants or users of an appointment. */
function isIn({ userId, addresses }: Person, people: unknown): boolean {
  if (!Array.isArray(people)) return false;
  return people.some((each: unknown) => {
    if (typeof each !== 'object' || each === null) return false;
    const { id, mail, type = 1 } = each as { readonly id?: unknown; readonly mail?: unknown; readonly type?: unknown };
    if (userId !== undefined && type === 1 && id === userId) return true;
    return typeof mail === 'string' && addresses.includes(mail.toLowerCase());
  });
}
