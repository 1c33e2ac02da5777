import { Setting } from '@groupware/service-kit';
import { IsInt, Max, Min } from 'class-validator';

/** Settings of pictures that are scaled. */
export class PictureSettings {
  @Setting({
    env: 'PICTURES_MAX_PIXELS',
    doc: 'Most pixels of a picture, as it is and as it is asked for; of contacts more give CON-0101, others are shown as they are',
  })
  @IsInt()
  @Min(480_000)
  maxPixels = 40_000_000;

  @Setting({
    env: 'PICTURES_MAX_BYTES',
    doc: 'Most bytes of a picture that is scaled; larger ones are shown as they are',
  })
  @IsInt()
  @Min(100_000)
  @Max(268_435_456)
  maxBytes = 26_214_400;

  @Setting({
    env: 'PICTURES_MAX_SECONDS',
    doc: 'Longest time of work on one picture, s; then it is shown as it is',
  })
  @IsInt()
  @Min(1)
  @Max(60)
  maxSeconds = 10;

  @Setting({
    env: 'PICTURES_MAX_WAITING',
    doc: 'Most pictures of a process that wait to be scaled; further ones are shown as they are',
  })
  @IsInt()
  @Min(1)
  @Max(10_000)
  maxWaiting = 200;
}
