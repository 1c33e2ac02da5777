import { action, allowCallers, defineModule, Field, json, many, none, one, plain, restAt, value } from '../kit';
import { DirectoryErrors } from '../identity/identity.errors';
import { UserPath } from '../identity/provisioning.queries';
import { MultifactorErrors } from './multifactor.errors';

const OWN_DEVICES = allowCallers('devices of the user of the session only');

/** A kind of second factor. */
export class MultifactorProvider {
  @Field.text({ doc: 'SMS, TOTP, BACKUP_STRING, U2F or WEB-AUTH' }) name!: string;
  @Field.boolean({ doc: 'Its devices may be backups' }) backupProvider!: boolean;
  @Field.boolean({ doc: 'Its devices are backups only' }) backupOnlyProvider!: boolean;
}

/** Which providers. */
export class MultifactorProvidersQuery {
  @Field.listOf('text', { doc: 'Only these kinds', optional: true, maxItems: 20 }) providers?: string[];
}

/** Facts that a provider wants to know about a new device. */
export class MultifactorDeviceParameters {
  @Field.text({ doc: 'Telephone number of an SMS device, international form', optional: true, maxLength: 32 })
  phoneNumber?: string;
}

/** A second factor of the user. */
export class MultifactorDevice {
  @Field.text({ doc: 'Id', optional: true, maxLength: 64 }) id?: string;
  @Field.text({ doc: 'Name the user gives it', optional: true, maxLength: 100 }) name?: string;
  @Field.text({ doc: 'Kind', optional: true, maxLength: 32 }) providerName?: string;
  @Field.boolean({ doc: 'Only for the case that other devices are lost', optional: true }) backup?: boolean;
  @Field.boolean({ doc: 'Can be used', optional: true, readOnly: true }) enabled?: boolean;
  @Field.object(() => MultifactorDeviceParameters, { doc: 'Depends on the kind', optional: true })
  parameters?: MultifactorDeviceParameters;
}

/** A device to register. */
export class NewMultifactorDevice extends MultifactorDevice {
  @Field.text({ doc: 'Given by the server', optional: true, readOnly: true }) override id?: string;
}

/** A device with its new name. */
export class RenamedMultifactorDevice extends MultifactorDevice {
  @Field.text({ doc: 'Kind, which stays', optional: true, readOnly: true }) override providerName?: string;
  @Field.boolean({ doc: 'Stays', optional: true, readOnly: true }) override backup?: boolean;
  @Field.object(() => MultifactorDeviceParameters, { doc: 'Stay', optional: true, readOnly: true })
  override parameters?: MultifactorDeviceParameters;
}

/** A device of the user. */
export class MultifactorDeviceQuery {
  @Field.text({ doc: 'Kind', maxLength: 32 }) providerName!: string;
  @Field.text({ doc: 'Id of the device', maxLength: 64 }) deviceId!: string;
}

/** Kind of the device. */
export class MultifactorProviderQuery {
  @Field.text({ doc: 'Kind', maxLength: 32 }) providerName!: string;
}

/** Proof of a factor; which fields count depends on the kind. */
export class MultifactorAnswer {
  @Field.text({ doc: 'Code of TOTP, SMS or BACKUP_STRING', optional: true, writeOnly: true, maxLength: 256 })
  secret_code?: string;
  @Field.text({ doc: 'U2F: client data, base64url', optional: true, maxLength: 8192 }) clientData?: string;
  @Field.text({ doc: 'U2F registration', optional: true, maxLength: 16_384 }) registrationData?: string;
  @Field.text({ doc: 'U2F: key handle, base64url', optional: true, maxLength: 1024 }) keyHandle?: string;
  @Field.text({ doc: 'U2F: signature, base64url', optional: true, maxLength: 2048 }) signatureData?: string;
  @Field.text({ doc: 'WebAuthn: id of the credential', optional: true, maxLength: 2048 }) id?: string;
  @Field.text({ doc: 'WebAuthn: id of the credential', optional: true, maxLength: 2048 }) rawId?: string;
  @Field.text({ doc: 'WebAuthn: public-key', optional: true, maxLength: 32 }) type?: string;
  @Field.any({ doc: 'WebAuthn: answer of the authenticator', optional: true }) response?: unknown;
  @Field.any({ doc: 'WebAuthn: results of extensions', optional: true }) clientExtensionResults?: unknown;
}

/** Answer to the beginning of a registration. */
export interface RegistrationStart {
  readonly deviceId: string;
  /** TOTP: sharedSecret, url, base64Image · BACKUP_STRING: sharedSecret · U2F: requestId, registerRequests · WEB-AUTH: publicKey */
  readonly challenge: object;
}

/** Answer to the beginning of an authentication. */
export interface AuthenticationStart {
  /** SMS: phoneNumberTail · BACKUP_STRING: backupStringLength · U2F: requestId, signRequests · WEB-AUTH: publicKey */
  readonly challenge: object;
}

const common = { auth: 'session', capability: 'multifactor', beforeSecondFactor: true } as const;

/** Kinds of second factors. */
export const multifactorProvider = defineModule(
  'multifactor/provider',
  {
    all: action({
      access: OWN_DEVICES,
      ...common,
      http: 'GET',
      doc: 'Kinds of second factors the user may register',
      query: MultifactorProvidersQuery,
      reply: many(MultifactorProvider),
    }),
  },
  { service: 'identity' },
);

/** Second factors of the user. */
export const multifactorDevice = defineModule(
  'multifactor/device',
  {
    all: action({
      access: OWN_DEVICES,
      ...common,
      http: 'GET',
      doc: 'Second factors of the user',
      reply: many(MultifactorDevice),
    }),
    startRegistration: action({
      access: OWN_DEVICES,
      ...common,
      http: 'PUT',
      edge: true,
      idempotency: 'none',
      doc: 'Begins to register a device',
      body: json(NewMultifactorDevice, { required: false }),
      reply: value<RegistrationStart>('{deviceId, challenge}'),
      errors: [
        MultifactorErrors.unknownProvider,
        MultifactorErrors.missingParameter,
        MultifactorErrors.serviceUnavailable,
        MultifactorErrors.registrationFailed,
        MultifactorErrors.recentFactorNeeded,
      ],
    }),
    finishRegistration: action({
      access: OWN_DEVICES,
      ...common,
      http: 'PUT',
      edge: true,
      idempotency: 'none',
      doc: 'Registers the device when the answer to its challenge is right',
      query: MultifactorDeviceQuery,
      body: json(MultifactorAnswer),
      reply: one(MultifactorDevice),
      errors: [
        MultifactorErrors.unknownProvider,
        MultifactorErrors.unknownDevice,
        MultifactorErrors.registrationFailed,
        MultifactorErrors.recentFactorNeeded,
        MultifactorErrors.lockedOut,
      ],
    }),
    startAuthentication: action({
      access: OWN_DEVICES,
      ...common,
      http: 'GET',
      edge: true,
      repeatable: false,
      idempotency: 'none',
      doc: 'Begins to show a second factor',
      query: MultifactorDeviceQuery,
      reply: value<AuthenticationStart>('{challenge}'),
      errors: [MultifactorErrors.unknownProvider, MultifactorErrors.unknownDevice],
    }),
    finishAuthentication: action({
      access: OWN_DEVICES,
      ...common,
      http: 'PUT',
      edge: true,
      idempotency: 'none',
      doc: 'Opens the session to all modules when the second factor is right',
      query: MultifactorDeviceQuery,
      body: json(MultifactorAnswer),
      reply: value<{ result: string }>('{result: "OK"}'),
      errors: [
        MultifactorErrors.unknownProvider,
        MultifactorErrors.unknownDevice,
        MultifactorErrors.failedWithAttempts,
        MultifactorErrors.lockedOut,
      ],
    }),
    rename: action({
      access: OWN_DEVICES,
      ...common,
      beforeSecondFactor: false,
      http: 'PUT',
      doc: 'Gives a device another name',
      query: MultifactorProviderQuery,
      body: json(RenamedMultifactorDevice),
      reply: one(MultifactorDevice),
      errors: [MultifactorErrors.unknownDevice, MultifactorErrors.missingParameter],
    }),
    delete: action({
      access: OWN_DEVICES,
      ...common,
      beforeSecondFactor: false,
      http: 'DELETE',
      doc: 'Removes a device; with the last one its backups go, too. A second factor must have been shown recently',
      query: MultifactorDeviceQuery,
      reply: value<string[]>('ids of the removed devices'),
      errors: [
        MultifactorErrors.unknownProvider,
        MultifactorErrors.unknownDevice,
        MultifactorErrors.recentFactorNeeded,
      ],
    }),
  },
  { service: 'identity' },
);

/** A device as administrators see it. */
export class MultifactorDeviceData {
  @Field.text({ doc: 'Id' }) id!: string;
  @Field.text({ doc: 'Name the user gave it' }) name!: string;
  @Field.text({ doc: 'Kind' }) providerName!: string;
  @Field.boolean({ doc: 'Can be used' }) enabled!: boolean;
  @Field.boolean({ doc: 'A backup' }) backup!: boolean;
}

/** Place of a device in a path. */
export class DevicePath extends UserPath {
  @Field.text({ name: 'provider-name', doc: 'Kind, case ignored', maxLength: 32 }) providerName!: string;
  @Field.text({ name: 'device-id', doc: 'Id of the device', maxLength: 64 }) deviceId!: string;
}

/** State of the enforcement of second factors for a user. */
export interface LoginInformation {
  /** The policy holds now: the user must register a second factor. */
  readonly enforceMfa: boolean;
  /** Logins with the user's own password. */
  readonly loginCounter: number;
  /** ISO 8601 in UTC; absent when the user never logged in. */
  readonly firstLogin?: string;
}

const path = '/admin/v1/contexts/{context-id}/users/{user-id}/multifactor';

/** Second factors of users for administrators. */
export const multifactorAdministration = defineModule(
  'multifactor-administration',
  {
    listMultifactorDevices: restAt(UserPath, {
      http: 'GET',
      callers: ['contextAdmin', 'resellerOfContext', 'master'],
      path: `${path}/devices`,
      doc: 'Second factors of a user',
      reply: plain<MultifactorDeviceData[]>(undefined, { doc: 'Array of {id, name, providerName, enabled, backup}' }),
      errors: [DirectoryErrors.userNotFound],
    }),
    deleteAllMultifactorDevices: restAt(UserPath, {
      http: 'DELETE',
      callers: ['contextAdmin', 'resellerOfContext', 'master'],
      path: `${path}/devices`,
      doc: 'Removes all second factors of a user',
      reply: none(),
      errors: [DirectoryErrors.userNotFound],
    }),
    deleteMultifactorDevice: restAt(DevicePath, {
      http: 'DELETE',
      callers: ['contextAdmin', 'resellerOfContext', 'master'],
      path: `${path}/devices/{provider-name}/{device-id}`,
      doc: 'Removes one second factor of a user; with the last one its backups go, too',
      reply: none(),
      errors: [DirectoryErrors.userNotFound, MultifactorErrors.unknownDevice, MultifactorErrors.unknownProvider],
    }),
    getLoginInformation: restAt(UserPath, {
      http: 'GET',
      callers: ['contextAdmin', 'resellerOfContext', 'master'],
      path: `${path}/login-information`,
      doc: 'State of the enforcement of second factors for a user',
      reply: plain<LoginInformation>(undefined, { doc: '{enforceMfa, loginCounter, firstLogin?}' }),
      errors: [DirectoryErrors.userNotFound],
    }),
    resetMultifactorEnforcement: restAt(UserPath, {
      http: 'DELETE',
      callers: ['contextAdmin', 'resellerOfContext', 'master'],
      path: `${path}/login-information`,
      doc: 'Begins the grace period of a user anew',
      reply: none(),
      errors: [DirectoryErrors.userNotFound],
    }),
  },
  { service: 'identity' },
);
