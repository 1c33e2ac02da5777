import { property } from '../kit';

/** Largest picture of a user that the server may be set to take, bytes. */
export const LARGEST_USER_IMAGE = 4 * 1024 * 1024;

/** Largest picture of a user. */
export const MAX_USER_IMAGE = property<number>({
  key: 'com.example.user.maxImageSize',
  default: 512 * 1024,
  min: 1024,
  max: LARGEST_USER_IMAGE,
  scopes: ['server'],
  doc: 'Most bytes of the picture of a user, and of the form that brings it. The REST API takes it as base64, within GATEWAY_MAX_REST_BODY_BYTES.',
});
