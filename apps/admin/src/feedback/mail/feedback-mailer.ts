import { createGzip } from 'node:zlib';
import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import {
  CatalogueError,
  FEEDBACK_EXPORT_PREFIX,
  FEEDBACK_MAIL_MAX_BYTES,
  FEEDBACK_SENDER_ADDRESS,
  FEEDBACK_SENDER_NAME,
  FEEDBACK_SIGN_KEY_FILE,
  FEEDBACK_SIGN_KEY_PASSWORD,
  FEEDBACK_SMTP_CONNECTION_TIMEOUT,
  FEEDBACK_SMTP_HOST,
  FEEDBACK_SMTP_PASSWORD,
  FEEDBACK_SMTP_PORT,
  FEEDBACK_SMTP_TIMEOUT,
  FEEDBACK_SMTP_USERNAME,
  FeedbackErrors,
  type FeedbackMailRequest,
  type FeedbackRecipient,
  type FeedbackSendResult,
} from '@groupware/contracts';
import { FILES, type FileStore, type StoredFile } from '@groupware/file-store';
import { MailConnector, type MailServer, type SmtpConnection } from '@groupware/mail-access';
import { Clock, pauseAfterTurn, Properties } from '@groupware/service-kit';
import type { PrivateKey, PublicKey } from 'openpgp';
import { DEFAULT_DELIMITER, createDefaultSubject, createReportName } from '../domain/report-names';
import { FeedbackExport, type FeedbackSelection } from '../feedback-export';
import { isMailAddress } from './addresses';
import { createDetachedSignature, encryptEntity, readEncryptionKey, readSigningKey } from './pgp';
import {
  createContentEntity,
  createEncryptedEntity,
  formatMailHead,
  createBoundary,
  createSignedEntity,
  type ReportContent,
  type ReportEnvelope,
} from './report-mail';
import { deliverMail } from './smtp-delivery';

type Kind = 'normal' | 'sign' | 'encrypt' | 'pgp';

/** Recipient of a mail. */
interface Addressee {
  readonly address: string;
  readonly name: string;
  readonly key?: PublicKey;
}

interface RecipientSelection {
  readonly addressees: readonly Addressee[];
  readonly fail: readonly string[];
  readonly pgpFail: readonly string[];
}

const SMTPS_PORT = 465;

/** Sends reports by mail, one mail for each recipient. The report is written once and streamed into each mail. */
@Injectable()
export class FeedbackMailer {
  constructor(
    private readonly feedback: FeedbackExport,
    private readonly properties: Properties,
    private readonly connector: MailConnector,
    private readonly clock: Clock,
    @Inject(FILES) private readonly files: FileStore,
  ) {}

  /**
   * Sends a report. Nothing is sent without a valid recipient.
   * @param range as the request names it, for the subject
   * @throws FEEDBACK-0007, FEEDBACK-0008, FEEDBACK-0010, FEEDBACK-0011, FEEDBACK-0013
   */
  async sendReport(
    selection: FeedbackSelection,
    request: FeedbackMailRequest,
    range: { readonly start?: number; readonly end?: number },
  ): Promise<FeedbackSendResult> {
    const { addressees, fail, pgpFail } = await this.selectRecipients(request.recipients);
    if (addressees.length === 0) {
      if (pgpFail.length > 0) throw FeedbackErrors.invalidKeys(pgpFail.join(', '));
      throw FeedbackErrors.invalidAddresses(fail.join(', '));
    }
    const key = await this.loadSigningKey();
    const compress = request.compress === true;
    const stored = await this.writeReport(selection, compress);
    try {
      const now = this.clock.now();
      const content: ReportContent = {
        text: request.body ?? '',
        file: {
          name: createReportName(this.properties.serverValue(FEEDBACK_EXPORT_PREFIX), now, compress),
          contentType: compress ? 'application/gzip' : 'text/csv; charset=utf-8',
          bytes: () => this.files.read(stored.reference),
        },
      };
      const subject = request.subject || createDefaultSubject(range.start, range.end);
      const sent = await this.deliverAll(addressees, content, subject, key);
      return omitEmpty({ ...sent, fail: [...fail, ...sent.fail], pgpFail });
    } finally {
      await this.files.discard(stored.reference);
    }
  }

  /** Tells usable recipients from others. An address that is named twice gets one mail. */
  private async selectRecipients(recipients: readonly FeedbackRecipient[]): Promise<RecipientSelection> {
    const addressees = new Map<string, Addressee>();
    const fail: string[] = [];
    const pgpFail: string[] = [];
    const now = this.clock.now();
    for (const { address: text, displayName, pgp_key } of recipients) {
      const address = text.trim();
      if (!isMailAddress(address)) {
        fail.push(text);
        continue;
      }
      const key = pgp_key ? await readEncryptionKey(pgp_key, now) : undefined;
      if (pgp_key) await pauseAfterTurn();
      if (pgp_key && !key) pgpFail.push(address);
      else addressees.set(address.toLowerCase(), { address, name: displayName ?? '', ...(key ? { key } : {}) });
    }
    return { addressees: [...addressees.values()], fail, pgpFail };
  }

  private async loadSigningKey(): Promise<PrivateKey | undefined> {
    const file = this.properties.serverValue(FEEDBACK_SIGN_KEY_FILE);
    if (file === '') return undefined;
    try {
      return await readSigningKey(file, this.properties.serverValue(FEEDBACK_SIGN_KEY_PASSWORD), this.clock.now());
    } catch (cause) {
      throw FeedbackErrors.signingKey().with({ cause });
    }
  }

  /** Writes the report to a temporary file, for it is read once for each recipient. */
  private async writeReport(selection: FeedbackSelection, compress: boolean): Promise<StoredFile> {
    const maxBytes = this.properties.serverValue(FEEDBACK_MAIL_MAX_BYTES);
    const csv = await this.feedback.exportCsv(selection, DEFAULT_DELIMITER);
    const stream: AsyncIterable<Uint8Array> = compress ? Readable.from(csv).compose(createGzip()) : csv;
    try {
      return await this.files.write(stream, { maxBytes });
    } catch (error) {
      if (error instanceof CatalogueError && error.code === 'UPL-0005') throw FeedbackErrors.tooLarge(maxBytes);
      throw error;
    }
  }

  private async deliverAll(
    addressees: readonly Addressee[],
    content: ReportContent,
    subject: string,
    key: PrivateKey | undefined,
  ): Promise<Record<Kind | 'fail', string[]>> {
    const from = {
      name: this.properties.serverValue(FEEDBACK_SENDER_NAME),
      address: this.properties.serverValue(FEEDBACK_SENDER_ADDRESS),
    };
    if (!isMailAddress(from.address)) throw FeedbackErrors.mailServer('no sender address');
    const outcome: Record<Kind | 'fail', string[]> = { normal: [], sign: [], encrypt: [], pgp: [], fail: [] };
    const timeoutMs = this.properties.serverValue(FEEDBACK_SMTP_TIMEOUT);
    await this.withConnection(async (smtp) => {
      for (const addressee of addressees) {
        const envelope = { from, to: addressee, subject, date: this.clock.now() };
        const mail = await createMail(envelope, content, addressee.key, key);
        const isSent = await deliverMail(smtp, from.address, addressee.address, mail, timeoutMs);
        outcome[isSent ? resolveKind(addressee.key, key) : 'fail'].push(addressee.address);
      }
    });
    return outcome;
  }

  private async withConnection<T>(work: (smtp: SmtpConnection) => Promise<T>): Promise<T> {
    const host = this.properties.serverValue(FEEDBACK_SMTP_HOST);
    if (host === '') throw FeedbackErrors.mailServer('no host');
    const port = this.properties.serverValue(FEEDBACK_SMTP_PORT);
    const server: MailServer = {
      protocol: 'smtp',
      host,
      port,
      protection: port === SMTPS_PORT ? 'tls' : 'starttls',
      allowPlain: false,
    };
    const login = this.properties.serverValue(FEEDBACK_SMTP_USERNAME);
    const password = this.properties.serverValue(FEEDBACK_SMTP_PASSWORD);
    const timeoutMs = this.properties.serverValue(FEEDBACK_SMTP_CONNECTION_TIMEOUT);
    try {
      const credentials = login === '' ? undefined : { login, password };
      return await this.connector.withSmtp(server, credentials, { account: 'userfeedback', timeoutMs }, work);
    } catch (error) {
      if (error instanceof CatalogueError) throw error;
      throw FeedbackErrors.mailServer(error instanceof Error ? error.message : 'unknown').with({ cause: error });
    }
  }
}

const resolveKind = (recipient: PublicKey | undefined, key: PrivateKey | undefined): Kind =>
  recipient ? (key ? 'pgp' : 'encrypt') : key ? 'sign' : 'normal';

async function createMail(
  envelope: ReportEnvelope,
  content: ReportContent,
  recipient: PublicKey | undefined,
  key: PrivateKey | undefined,
): Promise<AsyncIterable<string>> {
  const boundary = createBoundary();
  const entity = () => createContentEntity(content, boundary);
  let body: AsyncIterable<string>;
  if (recipient) body = createEncryptedEntity(await encryptEntity(entity(), recipient, key), createBoundary());
  else if (key) body = createSignedEntity(entity(), await createDetachedSignature(entity(), key), createBoundary());
  else body = entity();
  return (async function* () {
    yield formatMailHead(envelope);
    yield* body;
  })();
}

const omitEmpty = (lists: Readonly<Record<Kind | 'fail' | 'pgpFail', readonly string[]>>): FeedbackSendResult =>
  Object.fromEntries(Object.entries(lists).filter(([, addresses]) => addresses.length > 0));
