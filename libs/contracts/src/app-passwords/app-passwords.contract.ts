import { action, allowCallers, defineModule, Field, form, many, one } from '../kit';
import { MultifactorErrors } from '../multifactor/multifactor.errors';
import { AppPasswordErrors } from './app-passwords.errors';

const OWN = allowCallers('passwords of the user of the session only');

/** A kind of application. */
export class AppPasswordApplication {
  @Field.text({ doc: 'Value for appScope' }) name!: string;
  @Field.text({ doc: 'Title for people' }) displayName!: string;
  @Field.int({ doc: 'Place in the list' }) sort!: number;
}

/** Application that a password is made for. */
export class AppPasswordCreation {
  @Field.text({ doc: 'Kind of application, as getApps names it', maxLength: 64 }) appScope!: string;
  @Field.text({ doc: 'Name the user gives it', maxLength: 256 }) appName!: string;
}

/** A fresh application password; it is shown this once. */
export class AppPasswordRegistration {
  @Field.text({ doc: 'Login name to use with it' }) login!: string;
  @Field.text({ doc: 'The password' }) password!: string;
  @Field.boolean({ doc: 'The login name differs from the one of this session' }) newLogin!: boolean;
}

/** An application password in the list of the user. */
export class AppPassword {
  @Field.text({ doc: 'Id' }) UUID!: string;
  @Field.text({ doc: 'Kind of application' }) Scope!: string;
  @Field.text({ doc: 'Name' }) Name!: string;
  @Field.text({ doc: 'Client and user agent of the last login', optional: true }) LastDevice?: string;
  @Field.text({ doc: 'Last login, ISO 8601 in UTC', optional: true }) LastLogin?: string;
  @Field.text({ doc: 'Address of the last login', optional: true }) IP?: string;
}

/** An application password to remove. */
export class AppPasswordRemovalBody {
  @Field.text({ doc: 'Id', maxLength: 64 }) uuid!: string;
}

/** Outcome of a removal. */
export class AppPasswordRemoval {
  @Field.text({ doc: 'OK' }) result!: string;
}

const common = { auth: 'session', capability: 'app_passwords' } as const;

/** Passwords that open a part of the account for one application. */
export const appPasswords = defineModule(
  'appPasswords',
  {
    getApps: action({
      access: OWN,
      ...common,
      http: 'GET',
      doc: 'Kinds of applications that passwords can be made for',
      reply: many(AppPasswordApplication),
    }),
    add: action({
      access: OWN,
      ...common,
      http: 'POST',
      idempotency: 'none',
      doc: 'Makes a password for an application; it cannot be read again',
      body: form(AppPasswordCreation),
      reply: one(AppPasswordRegistration),
      errors: [AppPasswordErrors.unknownScope, MultifactorErrors.recentFactorNeeded],
    }),
    list: action({
      access: OWN,
      ...common,
      http: 'GET',
      doc: 'Application passwords of the user',
      reply: many(AppPassword),
    }),
    remove: action({
      access: OWN,
      ...common,
      http: 'POST',
      doc: 'Removes an application password; sessions opened with it end',
      body: form(AppPasswordRemovalBody),
      reply: one(AppPasswordRemoval),
      errors: [AppPasswordErrors.unknownPassword],
    }),
  },
  { service: 'identity' },
);
