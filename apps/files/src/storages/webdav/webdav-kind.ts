import {
  FileStorageErrors,
  localText,
  WEBDAV_ALLOWS_PLAIN,
  WEBDAV_CAPABILITY,
  WEBDAV_ENABLED,
  WEBDAV_FILE_SERVICE,
  type FileServiceData,
  type UserPrincipal,
} from '@groupware/contracts';
import { WebClient } from '@groupware/outbound';
import { Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import type {
  SplitConfiguration,
  StorageAccess,
  StorageConfiguration,
  StorageConnection,
  StorageKind,
  StorageRequest,
} from '../storage-kind';
import { StorageSettings } from '../storage-settings';
import { WebDavConnection } from './webdav-connection';

const MAX_TEXT = 4096;
const MIN_TIMEOUT_MS = 1_000;
const CONTROLS = /\p{Cc}/u;

/** Storages of WebDAV servers. */
@Injectable()
export class WebDavKind implements StorageKind {
  readonly id = WEBDAV_FILE_SERVICE;
  readonly capabilities = ['RANDOM_FILE_ACCESS', 'FOLDER_ETAGS'] as const;

  constructor(
    private readonly web: WebClient,
    private readonly settings: StorageSettings,
    private readonly properties: Properties,
  ) {}

  async isEnabledFor(user: UserPrincipal): Promise<boolean> {
    if (user.guest) return false;
    return user.capabilities.includes(WEBDAV_CAPABILITY) || this.properties.get(WEBDAV_ENABLED, user);
  }

  toService(locale: string): FileServiceData {
    const field = (name: 'url' | 'login' | 'password' | 'timeout', widget: string, mandatory: boolean) => ({
      widget,
      name,
      displayName: localText(`storage.webdav.${name}`, locale),
      mandatory,
    });
    return {
      id: this.id,
      displayName: localText('storage.webdav', locale),
      configuration: [
        field('url', 'text', true),
        field('login', 'text', true),
        field('password', 'password', true),
        field('timeout', 'text', false),
      ],
    };
  }

  splitConfiguration(values: Readonly<Record<string, unknown>>, stored?: StorageConfiguration): SplitConfiguration {
    const text = (name: string): string => {
      const value = values[name];
      if (value == null || value === '') throw FileStorageErrors.missingField(name);
      if (typeof value !== 'string' || value.length > MAX_TEXT) throw FileStorageErrors.badField(name);
      return value;
    };
    const url = parseAddress(text('url').trim());
    // RFC 7617: a colon ends the user-id, and neither user-id nor password contains control characters.
    const [login, password] = [text('login'), text('password')];
    if (login.includes(':') || CONTROLS.test(login)) throw FileStorageErrors.badField('login');
    if (CONTROLS.test(password)) throw FileStorageErrors.badField('password');
    const timeout =
      values['timeout'] === stored?.['timeout'] ? stored?.['timeout'] : this.parseTimeout(values['timeout']);
    return {
      open: { url: url.href, login, ...(timeout !== undefined && { timeout }) },
      secret: { password },
    };
  }

  audienceOf({ url, login }: StorageConfiguration): string {
    return `${new URL(String(url)).origin} ${String(login)}`;
  }

  connect(request: StorageRequest, { isChecked, displayName, configuration }: StorageAccess): StorageConnection {
    const { url, login, password, timeout } = configuration;
    return new WebDavConnection(this.web, this.settings, request, {
      isChecked,
      displayName,
      url: String(url),
      login: String(login),
      password: String(password),
      // The server's may be shorter than it was when the account was made.
      timeoutMs: Math.min(Number(timeout ?? Infinity), this.settings.timeoutMs),
      allowPlain: this.properties.serverValue(WEBDAV_ALLOWS_PLAIN),
    });
  }

  /** A time in ms as a client writes it, at most that of the server. @throws FILE_STORAGE-0018 */
  private parseTimeout(value: unknown): string | undefined {
    if (value == null || value === '') return undefined;
    const number = Number(value);
    if (!Number.isInteger(number) || number < MIN_TIMEOUT_MS || number > this.settings.timeoutMs)
      throw FileStorageErrors.badField('timeout');
    return String(number);
  }
}

/** The root that an address names, with a slash at its end. @throws FILE_STORAGE-0018 */
function parseAddress(text: string): URL {
  if (!URL.canParse(text)) throw FileStorageErrors.badField('url');
  const url = new URL(text);
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  if (!isWeb || url.username || url.password || url.search || url.hash) throw FileStorageErrors.badField('url');
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}
