import type { ComposeSecurity, ComposeSharedAttachments, UserPrincipal } from '@groupware/contracts';
import { SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import { Injectable } from '@nestjs/common';
import type { StoredFields } from './compose-fields';
import type { SpaceRow } from './compose.repository';

/** Seals passwords of one user, and opens them. */
export interface PasswordSeal {
  readonly seal: (password: string) => string;
  /** Undefined for what was sealed for another user or with a key that is gone, and for what is no sealed password. */
  readonly open: (sealed: string) => string | undefined;
}

/** Begins a sealed secret in a row: others are from before secrets were sealed. */
const SEALED = 'sealed:';

/** Seals passwords of mails that are written, for their user: in the rows of spaces, and in drafts, which other programs read. */
@Injectable()
export class ComposePasswords {
  private readonly texts: SealedText;

  constructor(keys: SecretKeySettings) {
    this.texts = new SealedText(keys.secretKeys(), 'compose-password');
  }

  /** The seal of a user. */
  sealOf({ contextId, userId }: Pick<UserPrincipal, 'contextId' | 'userId'>): PasswordSeal {
    const owner = `${contextId}/${userId}`;
    return {
      seal: (password) => this.texts.seal(password, owner),
      open: (sealed) => this.texts.open(sealed, owner),
    };
  }

  /** Fields of a space with their secrets sealed, as rows keep them. */
  sealFields(user: UserPrincipal, fields: StoredFields): StoredFields {
    const { seal } = this.sealOf(user);
    const { shared, security } = fields;
    return {
      ...fields,
      ...(shared === undefined ? {} : { shared: sealMember(shared, 'password', seal) }),
      ...(security === undefined ? {} : { security: sealMember(security, 'pin', seal) }),
    };
  }

  /** A row of a space with its secrets open. A link whose password cannot be opened counts as one whose password is lost. */
  openRow(user: UserPrincipal, row: SpaceRow): SpaceRow {
    const { open } = this.sealOf(user);
    const password = openMember(row.shared, 'password', open);
    const pin = openMember(row.security, 'pin', open);
    const meta = password.isLost
      ? JSON.stringify({ ...(JSON.parse(row.meta) as object), lostPassword: true })
      : row.meta;
    return { ...row, shared: password.json, security: pin.json, meta };
  }
}

type Secrets = Partial<Pick<ComposeSharedAttachments, 'password'> & Pick<ComposeSecurity, 'pin'>>;

function sealMember(json: string, name: keyof Secrets, seal: PasswordSeal['seal']): string {
  const object = JSON.parse(json) as Secrets;
  const secret = object[name];
  return secret ? JSON.stringify({ ...object, [name]: SEALED + seal(secret) }) : json;
}

function openMember(
  json: string,
  name: keyof Secrets,
  open: PasswordSeal['open'],
): { readonly json: string; readonly isLost: boolean } {
  const object = JSON.parse(json) as Secrets;
  const secret = object[name];
  if (!secret?.startsWith(SEALED)) return { json, isLost: false };
  const opened = open(secret.slice(SEALED.length));
  return { json: JSON.stringify({ ...object, [name]: opened ?? null }), isLost: opened === undefined };
}
