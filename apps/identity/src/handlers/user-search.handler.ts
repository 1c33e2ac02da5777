import { user, type CallOf, type Handler, type UserPrincipal, type UserSearchBody } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { toLikePattern } from '../domain/search-pattern';
import { COLLATION } from '../persistence/collation';
import { FIRST_PARAMETER, restrictToReader, UserRows, type UserCondition } from '../directory/user-rows';

const FIELDS = {
  pattern: 'u.display_name',
  display_name: 'u.display_name',
  last_name: 'u.surname',
  first_name: 'u.given_name',
  email1: 'u.primary_email',
  email2: `u.person->>'email2'`,
  email3: `u.person->>'email3'`,
} as const satisfies Partial<Record<keyof UserSearchBody, string>>;

/** Builds the condition of a search; without fields it matches all users. */
export function buildCondition(principal: UserPrincipal, body: UserSearchBody): UserCondition {
  const terms: string[] = [];
  const params: string[] = [];
  for (const [field, expression] of Object.entries(FIELDS)) {
    const pattern = body[field as keyof typeof FIELDS];
    if (pattern === undefined || pattern === null) continue;
    params.push(toLikePattern(pattern) + (field === 'pattern' && body.startletter ? '%' : ''));
    const seen = restrictToReader(principal, field === 'pattern' ? 'display_name' : field, expression);
    terms.push(`coalesce(${seen}, '') ${COLLATION} ilike $${params.length + FIRST_PARAMETER - 1}`);
  }
  const fits = terms.length === 0 ? 'true' : terms.join(body.orSearch ? ' or ' : ' and ');
  return { sql: body.emailAutoComplete ? `(${fits}) and u.primary_email <> ''` : fits, params };
}

/** Finds users by pattern. */
@Handles(user.search)
export class UserSearchHandler implements Handler<typeof user.search> {
  constructor(private readonly rows: UserRows) {}

  handle({ principal, query, body }: CallOf<typeof user.search>) {
    return this.rows.readRows(principal, query, buildCondition(principal, body));
  }
}
