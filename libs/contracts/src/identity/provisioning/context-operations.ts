import { json, none, plain } from '../../kit';
import { RestErrors } from '../../edge/edge.errors';
import {
  ContextErrors,
  DirectoryErrors,
  InstallationErrors,
  ProvisioningErrors,
  ResellerErrors,
} from '../identity.errors';
import { ContextMove, Quota } from '../installation.models';
import {
  ContextChange,
  ContextCreation,
  ContextData,
  ContextPage,
  ContextState,
  Job,
  ModuleAccess,
  PropertyEntry,
  PropertyValue,
} from '../provisioning.models';
import {
  ContextPath,
  ContextPropertyPath,
  ContextListQuery,
  DeleteQuery,
  CreateQuery,
  ModuleAccessQuery,
} from '../provisioning.queries';
import { at } from './provisioning-operation';

const { notFound: noContext } = ContextErrors;
const { userNotFound: noUser } = DirectoryErrors;
const version = RestErrors.versionMismatch;
const master = 'master' as const;

/** Contexts. */
export const contextOperations = {
  listContexts: at(undefined, ContextListQuery, {
    http: 'GET',
    path: '',
    auth: master,
    doc: 'Lists contexts',
    reply: plain<ContextPage>(ContextPage),
  }),
  createContext: at(undefined, CreateQuery, {
    http: 'POST',
    path: '',
    auth: master,
    doc: 'Creates a context with its administrator',
    body: json(ContextCreation),
    reply: plain<ContextData>(ContextData, { status: 201 }),
    errors: [
      ProvisioningErrors.contextExists,
      ProvisioningErrors.mappingTaken,
      ProvisioningErrors.addressTaken,
      ResellerErrors.parentUnknown,
      ResellerErrors.restricted,
      InstallationErrors.unknownSchema,
      InstallationErrors.unknownFilestore,
      ProvisioningErrors.accessNotAllowed,
      ProvisioningErrors.unknownAccess,
    ],
  }),
  getContext: at(ContextPath, undefined, {
    http: 'GET',
    path: '/{context-id}',
    doc: 'Reads a context',
    reply: plain<ContextData>(ContextData),
    errors: [noContext],
  }),
  changeContext: at(ContextPath, undefined, {
    http: 'PATCH',
    path: '/{context-id}',
    auth: master,
    doc: 'Changes a context',
    body: json(ContextChange),
    reply: plain<ContextData>(ContextData),
    errors: [
      noContext,
      ProvisioningErrors.mappingTaken,
      ResellerErrors.restricted,
      version,
      ProvisioningErrors.invalidField,
      ProvisioningErrors.accessNotAllowed,
      noUser,
    ],
  }),
  deleteContext: at(ContextPath, DeleteQuery, {
    http: 'DELETE',
    path: '/{context-id}',
    auth: master,
    doc: 'Deletes a context with all its data',
    reply: plain<Job>(Job, { status: 202 }),
    errors: [noContext, version],
  }),
  setContextState: at(ContextPath, undefined, {
    http: 'PUT',
    path: '/{context-id}/state',
    auth: master,
    doc: 'Enables or disables a context; disabling closes all its sessions',
    body: json(ContextState),
    reply: plain<ContextData>(ContextData),
    errors: [noContext, version],
  }),
  getContextAccess: at(ContextPath, undefined, {
    http: 'GET',
    path: '/{context-id}/module-access',
    auth: master,
    doc: 'What users of the context may use',
    reply: plain<ModuleAccess>(ModuleAccess),
    errors: [noContext],
  }),
  setContextAccess: at(ContextPath, ModuleAccessQuery, {
    http: 'PUT',
    path: '/{context-id}/module-access',
    auth: master,
    doc: 'Sets what users of the context may use',
    body: json(ModuleAccess),
    reply: plain<ModuleAccess>(ModuleAccess),
    errors: [noContext, version, ProvisioningErrors.unknownAccess, ProvisioningErrors.accessNotAllowed],
  }),
  getContextProperty: at(ContextPropertyPath, undefined, {
    http: 'GET',
    path: '/{context-id}/config/{property}',
    auth: master,
    doc: 'Value of a property set for the context',
    reply: plain<PropertyEntry>(PropertyEntry),
    errors: [noContext, ProvisioningErrors.propertyNotSet],
  }),
  setContextProperty: at(ContextPropertyPath, undefined, {
    http: 'PUT',
    path: '/{context-id}/config/{property}',
    auth: master,
    doc: 'Sets a property for the context',
    body: json(PropertyValue),
    reply: plain<PropertyEntry>(PropertyEntry),
    errors: [noContext, ProvisioningErrors.propertyNotSettable, ProvisioningErrors.badPropertyValue],
  }),
  deleteContextProperty: at(ContextPropertyPath, DeleteQuery, {
    http: 'DELETE',
    path: '/{context-id}/config/{property}',
    auth: master,
    doc: 'Removes the value of a property from the context',
    reply: none(204),
    errors: [noContext, ProvisioningErrors.propertyNotSet],
  }),
  getContextQuota: at(ContextPath, undefined, {
    http: 'GET',
    path: '/{context-id}/quota',
    auth: master,
    doc: 'Limits of the context',
    reply: plain<Quota>(Quota),
    errors: [noContext],
  }),
  setContextQuota: at(ContextPath, undefined, {
    http: 'PUT',
    path: '/{context-id}/quota',
    auth: master,
    doc: 'Sets the limits of the context. Limits below the use of today are allowed and stop new data',
    body: json(Quota),
    reply: plain<Quota>(Quota),
    errors: [noContext, version, ProvisioningErrors.invalidField, ResellerErrors.restricted],
  }),
  moveContext: at(ContextPath, undefined, {
    http: 'POST',
    path: '/{context-id}/move',
    auth: master,
    resellers: 'never',
    doc: 'Moves the data of the context to another shard or file store. Nobody can work in it meanwhile',
    body: json(ContextMove),
    reply: plain<Job>(Job, { status: 202 }),
    errors: [
      noContext,
      InstallationErrors.unknownSchema,
      InstallationErrors.unknownFilestore,
      InstallationErrors.moving,
    ],
  }),
};
