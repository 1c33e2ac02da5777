import type { EdgeRequest, UploadedFile } from '@groupware/contracts';

/** The body of a call's message. */
export interface CallBody {
  readonly query?: unknown;
  readonly body?: unknown;
  readonly files?: readonly UploadedFile[];
  readonly edge?: EdgeRequest;
}
