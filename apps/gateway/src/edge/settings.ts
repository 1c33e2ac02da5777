import type { Principal, Property } from '@groupware/contracts';
import type { AdmissionLimits } from './admission';

/** How strictly cookies are bound to HTTPS. `auto`: when the request itself was secure. */
export type CookieSecurity = 'auto' | 'always' | 'never';

/** Settings of the HTTP edge; the configuration class of the gateway fills them. */
export interface EdgeSettings extends AdmissionLimits {
  /** Base paths without trailing slash; `''` is the root. */
  readonly basePaths: readonly string[];
  /** When clients may try again after an outage, s. */
  readonly retryAfterSeconds: number;
  /** Longest time a call may take unless its contract says otherwise, ms. */
  readonly deadlineMs: number;
  /** Largest JSON, form or text body, bytes. */
  readonly maxBodyBytes: number;
  /** Largest body of the REST API, bytes. */
  readonly maxRestBodyBytes: number;
  /** Largest upload, all parts together, bytes. */
  readonly maxUploadBytes: number;
  /** Server's value of a property, for operations whose uploads have a limit of their own. */
  readonly limitOf?: (property: Property<number>) => number;
  /** Most bytes of uploads of one user in the file store until their calls end. */
  readonly maxIncomingBytesPerUser: number;
  /** The same for a context, and for each administrator. */
  readonly maxIncomingBytes: number;
  /** Most files in one upload. */
  readonly maxUploadFiles: number;
  /** Most form fields in one upload. */
  readonly maxUploadFields: number;
  /** Largest form field in one upload, bytes. */
  readonly maxFieldBytes: number;
  readonly cookieSecurity: CookieSecurity;
  readonly cookieSameSite: 'Lax' | 'Strict' | 'None';
  readonly cookieDomain: string;
  /** Whether the errors answered to a caller have `error_stack`. */
  readonly showsStack: (principal: Principal | undefined) => boolean;
  /** Master administrator of the REST API; undefined refuses every master call. */
  readonly master?: { readonly login: string; readonly password: string };
  /** Pair of the cooperating services; undefined refuses every such call. */
  /** Whether masters and resellers may act as the administrator of a context; default: yes. */
  readonly masterOverride?: boolean;
  readonly service?: { readonly login: string; readonly password: string };
  /** Most requests in one call of the module `multiple`. */
  readonly maxMultiple: number;
  /** Most bytes of the answers of one batch. */
  readonly maxMultipleBytes: number;
  /** Cookies whose names begin so are handed to operations that ask for the edge. */
  readonly cookiePrefixes: readonly string[];
}
