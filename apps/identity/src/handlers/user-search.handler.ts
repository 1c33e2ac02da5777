import {
  FIRST_LETTER_FIELD,
  user,
  type CallOf,
  type Handler,
  type UserPrincipal,
  type UserSearchBody,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { Cascade } from '../configuration/cascade';
import { PropertyRepository } from '../configuration/property.repository';
import { toLikePattern } from '../domain/search-pattern';
import { COLLATION } from '../persistence/collation';
import { FIRST_PARAMETER, restrictToReader, UserRows, type UserCondition } from '../directory/user-rows';
import { userColumns } from '../persistence/user.columns';

const FIELDS = ['display_name', 'last_name', 'first_name', 'email1', 'email2', 'email3'] as const;
type TextField = (typeof FIELDS)[number] | 'company' | 'file_as' | 'nickname';

/** Builds the condition of a search, as that of contacts; without fields it matches all users. */
function buildCondition(principal: UserPrincipal, body: UserSearchBody, letterField: TextField): UserCondition {
  const params: string[] = [];
  const seen = (field: TextField) =>
    `coalesce(${restrictToReader(principal, field, userColumns.expression(field)!)}, '') ${COLLATION}`;
  const matches = (sql: string, pattern: string, isPrefix = body.emailAutoComplete) => {
    params.push(toLikePattern(pattern) + (isPrefix ? '%' : ''));
    return `${sql} ilike $${params.length + FIRST_PARAMETER - 1}`;
  };
  const startsWith = (letter: string) => {
    const sql = `coalesce(nullif(${seen(letterField)}, ''), ${seen('display_name')})`;
    if (letter === '.' || letter === '#') return `${sql} !~ '^[[:alnum:]]'`;
    return /^\d$/.test(letter) ? `${sql} ~ '^[0-9]'` : matches(sql, letter, true);
  };
  const { pattern, startletter } = body;
  const terms = FIELDS.flatMap((field) => (body[field] == null ? [] : [matches(seen(field), body[field])]));
  if (pattern != null && !(startletter && pattern === 'all'))
    terms.push(startletter ? startsWith(pattern) : matches(seen('display_name'), pattern));
  const isAnyEnough = body.orSearch || body.emailAutoComplete;
  const fits = terms.length === 0 ? 'true' : terms.join(isAnyEnough ? ' or ' : ' and ');
  return { sql: body.emailAutoComplete ? `(${fits}) and u.primary_email <> ''` : fits, params };
}

/** Finds users by pattern. */
@Handles(user.search)
export class UserSearchHandler implements Handler<typeof user.search> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly cascade: Cascade,
    private readonly properties: PropertyRepository,
    private readonly rows: UserRows,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof user.search>) {
    const letterField = body.startletter ? await this.findLetterField(principal) : FIRST_LETTER_FIELD.default;
    return this.rows.readRows(principal, query, buildCondition(principal, body, letterField));
  }

  private async findLetterField(principal: UserPrincipal) {
    const values = await this.database.read(principal, (db) => this.properties.getEffective(db, principal.userId));
    return this.cascade.value(FIRST_LETTER_FIELD, values);
  }
}
