import { Injectable } from '@nestjs/common';
import {
  MAX_ATTACHMENT_UPLOAD,
  COOKIE_LIFETIME,
  MAX_APPOINTMENTS,
  MIN_SEARCH_LENGTH,
  PASSWORD_HINT,
  PASSWORD_MAX_LENGTH,
  PASSWORD_MIN_LENGTH,
  PASSWORD_PATTERN,
  SHARE_COMPOSED_FILES,
  SHARE_ENDS_FILES,
  SHARE_NAME,
  SHARE_NEEDS_EXPIRY,
  SHARE_THRESHOLD,
  UI_WEB_PATH,
  type Property,
  type UserPrincipal,
} from '@groupware/contracts';
import { Properties } from '@groupware/service-kit';

/** Properties that clients may see: limits and rules that they show to users. Nothing of servers, keys or other tenants. */
const VISIBLE: readonly Property[] = [
  MAX_ATTACHMENT_UPLOAD,
  COOKIE_LIFETIME,
  MAX_APPOINTMENTS,
  MIN_SEARCH_LENGTH,
  PASSWORD_HINT,
  PASSWORD_MAX_LENGTH,
  PASSWORD_MIN_LENGTH,
  PASSWORD_PATTERN,
  SHARE_COMPOSED_FILES,
  SHARE_ENDS_FILES,
  SHARE_NAME,
  SHARE_NEEDS_EXPIRY,
  SHARE_THRESHOLD,
  UI_WEB_PATH,
];
const byKey = new Map(VISIBLE.map((property) => [property.key, property]));

/** Properties of the cascade as clients see them. */
@Injectable()
export class ClientProperties {
  constructor(private readonly properties: Properties) {}

  /** The value for a user; null where clients may not see it, or nothing has the name. */
  async read(principal: UserPrincipal, name: string): Promise<string | number | boolean | null> {
    const property = byKey.get(name);
    return property ? this.properties.get(property, principal) : null;
  }
}
