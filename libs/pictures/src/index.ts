export type { CameraData } from './exif';
export * from './picture-reply';
export * from './picture-settings';
export * from './pictures';
