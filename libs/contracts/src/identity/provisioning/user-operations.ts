import { json, none, plain } from '../../kit';
import { RestErrors } from '../../edge/edge.errors';
import { ContextErrors, DirectoryErrors, GroupErrors, ProvisioningErrors, ResellerErrors } from '../identity.errors';
import { ContactErrors } from '../../contacts/contact.errors';
import { Count } from '../installation.models';
import {
  MailServers,
  ModuleAccess,
  PasswordChange,
  PropertyEntry,
  PropertyValue,
  ProvisionedUser,
  UserChange,
  UserCreation,
  UserPage,
} from '../provisioning.models';
import {
  ContextPath,
  UserPath,
  UserPropertyPath,
  PageQuery,
  DeleteQuery,
  UserDeleteQuery,
  CreateQuery,
  UserChangeQuery,
} from '../provisioning.queries';
import { operationAt, WITHIN_CONTEXT } from './provisioning-operation';

const { notFound: noContext } = ContextErrors;
const { userNotFound: noUser } = DirectoryErrors;
const conflicts = [ProvisioningErrors.addressTaken, ProvisioningErrors.nameTaken, ProvisioningErrors.displayNameTaken];
const zones = [DirectoryErrors.notALocale, DirectoryErrors.notATimeZone];
const pictures = [ContactErrors.imageNotAccepted, ContactErrors.imageTooLarge];
const version = RestErrors.versionMismatch;

/** Users of a context. */
export const userOperations = {
  listUsers: operationAt(ContextPath, PageQuery, {
    http: 'GET',
    path: '/{context-id}/users',
    callers: WITHIN_CONTEXT,
    doc: 'Lists users',
    reply: plain<UserPage>(UserPage),
    errors: [noContext],
  }),
  createUser: operationAt(ContextPath, CreateQuery, {
    http: 'POST',
    path: '/{context-id}/users',
    callers: WITHIN_CONTEXT,
    idempotency: 'own',
    doc: 'Creates a user',
    body: json(UserCreation),
    reply: plain<ProvisionedUser>(ProvisionedUser, { status: 201 }),
    errors: [
      noContext,
      ...conflicts,
      ...zones,
      ...pictures,
      ProvisioningErrors.keyReused,
      ProvisioningErrors.invalidField,
      ProvisioningErrors.unknownHash,
      ProvisioningErrors.unknownAccess,
      ProvisioningErrors.accessNotAllowed,
      GroupErrors.notFound,
      ResellerErrors.restricted,
    ],
  }),
  getUser: operationAt(UserPath, undefined, {
    http: 'GET',
    path: '/{context-id}/users/{user-id}',
    callers: WITHIN_CONTEXT,
    doc: 'Reads a user',
    reply: plain<ProvisionedUser>(ProvisionedUser),
    errors: [noUser],
  }),
  changeUser: operationAt(UserPath, UserChangeQuery, {
    http: 'PATCH',
    path: '/{context-id}/users/{user-id}',
    callers: WITHIN_CONTEXT,
    doc: 'Changes a user',
    body: json(UserChange),
    reply: plain<ProvisionedUser>(ProvisionedUser),
    errors: [
      noUser,
      version,
      ...conflicts,
      ...zones,
      ...pictures,
      ProvisioningErrors.invalidField,
      ProvisioningErrors.primaryAddressStays,
      GroupErrors.notFound,
    ],
  }),
  deleteUser: operationAt(UserPath, UserDeleteQuery, {
    http: 'DELETE',
    path: '/{context-id}/users/{user-id}',
    callers: WITHIN_CONTEXT,
    doc: 'Deletes a user; shared data goes to the administrator or to the user named',
    reply: none(204),
    errors: [noUser, version, ProvisioningErrors.administratorStays],
  }),
  setPassword: operationAt(UserPath, undefined, {
    http: 'PUT',
    path: '/{context-id}/users/{user-id}/password',
    callers: WITHIN_CONTEXT,
    doc: 'Sets the password of a user and closes the sessions of the user',
    body: json(PasswordChange),
    reply: none(204),
    errors: [noUser, version],
  }),
  getUserAccess: operationAt(UserPath, undefined, {
    http: 'GET',
    path: '/{context-id}/users/{user-id}/module-access',
    callers: WITHIN_CONTEXT,
    doc: 'What the user may use',
    reply: plain<ModuleAccess>(ModuleAccess),
    errors: [noUser],
  }),
  setUserAccess: operationAt(UserPath, undefined, {
    http: 'PUT',
    path: '/{context-id}/users/{user-id}/module-access',
    callers: WITHIN_CONTEXT,
    doc: 'Sets what the user may use, within what the context allows',
    body: json(ModuleAccess),
    reply: plain<ModuleAccess>(ModuleAccess),
    errors: [noUser, version, ProvisioningErrors.accessNotAllowed, ProvisioningErrors.unknownAccess],
  }),
  setMailAccount: operationAt(UserPath, undefined, {
    http: 'PUT',
    path: '/{context-id}/users/{user-id}/mail-account',
    callers: WITHIN_CONTEXT,
    doc: 'Sets the servers of the primary mail account of a user; the user object shows them as imap and smtp',
    body: json(MailServers),
    reply: plain<MailServers>(MailServers),
    errors: [noUser, version, ProvisioningErrors.invalidField],
  }),
  getUserProperty: operationAt(UserPropertyPath, undefined, {
    http: 'GET',
    path: '/{context-id}/users/{user-id}/config/{property}',
    callers: WITHIN_CONTEXT,
    doc: 'Value of a property set for the user',
    reply: plain<PropertyEntry>(PropertyEntry),
    errors: [noUser, ProvisioningErrors.propertyNotSet],
  }),
  setUserProperty: operationAt(UserPropertyPath, undefined, {
    http: 'PUT',
    path: '/{context-id}/users/{user-id}/config/{property}',
    callers: WITHIN_CONTEXT,
    doc: 'Sets a property for the user',
    body: json(PropertyValue),
    reply: plain<PropertyEntry>(PropertyEntry),
    errors: [noUser, ProvisioningErrors.propertyNotSettable, ProvisioningErrors.badPropertyValue],
  }),
  deleteUserProperty: operationAt(UserPropertyPath, DeleteQuery, {
    http: 'DELETE',
    path: '/{context-id}/users/{user-id}/config/{property}',
    callers: WITHIN_CONTEXT,
    doc: 'Removes the value of a property from the user',
    reply: none(204),
    errors: [noUser, ProvisioningErrors.propertyNotSet],
  }),
  countUsers: operationAt(ContextPath, undefined, {
    http: 'GET',
    path: '/{context-id}/users/count',
    callers: WITHIN_CONTEXT,
    doc: 'Counts users',
    reply: plain<Count>(Count),
    errors: [noContext],
  }),
};
