import { json, none, plain } from '../../kit';
import { RestErrors } from '../../edge/edge.errors';
import { ContextErrors, GroupErrors, ProvisioningErrors, ResourceErrors } from '../identity.errors';
import {
  GroupChange,
  GroupCreation,
  GroupPage,
  ProvisionedGroup,
  ProvisionedResource,
  ResourceChange,
  ResourceCreation,
  ResourcePage,
} from '../provisioning.models';
import { ContextPath, GroupPath, MemberPath, ResourcePath, PageQuery, DeleteQuery } from '../provisioning.queries';
import { operationAt, WITHIN_CONTEXT } from './provisioning-operation';

const { notFound: noContext } = ContextErrors;
const version = RestErrors.versionMismatch;

/** Groups and resources of a context. */
export const entityOperations = {
  listGroups: operationAt(ContextPath, PageQuery, {
    http: 'GET',
    path: '/{context-id}/groups',
    callers: WITHIN_CONTEXT,
    doc: 'Lists groups',
    reply: plain<GroupPage>(GroupPage),
    errors: [noContext],
  }),
  createGroup: operationAt(ContextPath, undefined, {
    http: 'POST',
    path: '/{context-id}/groups',
    callers: WITHIN_CONTEXT,
    idempotency: 'own',
    doc: 'Creates a group',
    body: json(GroupCreation),
    reply: plain<ProvisionedGroup>(ProvisionedGroup, { status: 201 }),
    errors: [
      noContext,
      ProvisioningErrors.keyReused,
      GroupErrors.nameTaken,
      GroupErrors.displayNameReserved,
      GroupErrors.memberUnknown,
      GroupErrors.guestMember,
    ],
  }),
  getGroup: operationAt(GroupPath, undefined, {
    http: 'GET',
    path: '/{context-id}/groups/{group-id}',
    callers: WITHIN_CONTEXT,
    doc: 'Reads a group',
    reply: plain<ProvisionedGroup>(ProvisionedGroup),
    errors: [GroupErrors.notFound],
  }),
  changeGroup: operationAt(GroupPath, undefined, {
    http: 'PATCH',
    path: '/{context-id}/groups/{group-id}',
    callers: WITHIN_CONTEXT,
    doc: 'Changes a group',
    body: json(GroupChange),
    reply: plain<ProvisionedGroup>(ProvisionedGroup),
    errors: [
      GroupErrors.notFound,
      GroupErrors.nameTaken,
      GroupErrors.displayNameReserved,
      GroupErrors.memberUnknown,
      GroupErrors.guestMember,
      GroupErrors.notChangeable,
      version,
      ProvisioningErrors.invalidField,
    ],
  }),
  deleteGroup: operationAt(GroupPath, DeleteQuery, {
    http: 'DELETE',
    path: '/{context-id}/groups/{group-id}',
    callers: WITHIN_CONTEXT,
    doc: 'Deletes a group',
    reply: none(204),
    errors: [GroupErrors.notFound, version, GroupErrors.notDeletable],
  }),
  addMember: operationAt(MemberPath, undefined, {
    http: 'PUT',
    path: '/{context-id}/groups/{group-id}/members/{user-id}',
    callers: WITHIN_CONTEXT,
    doc: 'Adds a member; again is no error',
    reply: none(204),
    errors: [
      GroupErrors.notFound,
      version,
      GroupErrors.memberUnknown,
      GroupErrors.guestMember,
      GroupErrors.notChangeable,
    ],
  }),
  removeMember: operationAt(MemberPath, DeleteQuery, {
    http: 'DELETE',
    path: '/{context-id}/groups/{group-id}/members/{user-id}',
    callers: WITHIN_CONTEXT,
    doc: 'Removes a member',
    reply: none(204),
    errors: [GroupErrors.notFound, version, ProvisioningErrors.noMember, GroupErrors.notChangeable],
  }),
  listResources: operationAt(ContextPath, PageQuery, {
    http: 'GET',
    path: '/{context-id}/resources',
    callers: WITHIN_CONTEXT,
    doc: 'Lists resources',
    reply: plain<ResourcePage>(ResourcePage),
    errors: [noContext],
  }),
  createResource: operationAt(ContextPath, undefined, {
    http: 'POST',
    path: '/{context-id}/resources',
    callers: WITHIN_CONTEXT,
    idempotency: 'own',
    doc: 'Creates a resource',
    body: json(ResourceCreation),
    reply: plain<ProvisionedResource>(ProvisionedResource, { status: 201 }),
    errors: [
      noContext,
      ProvisioningErrors.keyReused,
      ResourceErrors.nameTaken,
      ResourceErrors.addressTaken,
      ProvisioningErrors.invalidField,
    ],
  }),
  getResource: operationAt(ResourcePath, undefined, {
    http: 'GET',
    path: '/{context-id}/resources/{resource-id}',
    callers: WITHIN_CONTEXT,
    doc: 'Reads a resource',
    reply: plain<ProvisionedResource>(ProvisionedResource),
    errors: [ResourceErrors.notFound],
  }),
  changeResource: operationAt(ResourcePath, undefined, {
    http: 'PATCH',
    path: '/{context-id}/resources/{resource-id}',
    callers: WITHIN_CONTEXT,
    doc: 'Changes a resource',
    body: json(ResourceChange),
    reply: plain<ProvisionedResource>(ProvisionedResource),
    errors: [
      ResourceErrors.notFound,
      ResourceErrors.nameTaken,
      ResourceErrors.addressTaken,
      version,
      ProvisioningErrors.invalidField,
    ],
  }),
  deleteResource: operationAt(ResourcePath, DeleteQuery, {
    http: 'DELETE',
    path: '/{context-id}/resources/{resource-id}',
    callers: WITHIN_CONTEXT,
    doc: 'Deletes a resource',
    reply: none(204),
    errors: [ResourceErrors.notFound, version],
  }),
};
