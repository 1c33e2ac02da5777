import { Field } from '../kit';

/** How a picture is shown: turned, then cut, then scaled. Without all of it, as it is. */
export class PictureQuery {
  @Field.int({ doc: 'Width to scale to; beyond 10000 the picture stays as it is', optional: true, min: 1 })
  width?: number;
  @Field.int({ doc: 'Height to scale to; beyond 10000 the picture stays as it is', optional: true, min: 1 })
  height?: number;
  @Field.text({
    doc: 'contain, auto: within width and height; cover: filling them, nothing cut off; containForceDimension: within them, with bars up to exactly them; coverAndCrop: filling them, cut to them. Any case; default: contain',
    optional: true,
    maxLength: 32,
  })
  scaleType?: string;
  @Field.boolean({ doc: 'Never enlarge', optional: true }) shrinkOnly?: boolean;
  @Field.boolean({
    doc: 'Upright, as the data of the picture say; whatever is cut or scaled is it anyway',
    optional: true,
  })
  rotate?: boolean;
  @Field.int({ doc: 'Left edge of the part to show, px', optional: true, min: 0 }) cropX?: number;
  @Field.int({ doc: 'Upper edge of the part to show, px', optional: true, min: 0 }) cropY?: number;
  @Field.int({ doc: 'Width of the part to show; with cropHeight', optional: true, min: 1 }) cropWidth?: number;
  @Field.int({ doc: 'Height of the part to show; with cropWidth', optional: true, min: 1 }) cropHeight?: number;
  @Field.boolean({ doc: 'Fewer bytes rather than a fine picture', optional: true }) compress?: boolean;
  @Field.boolean({ doc: 'false: as it is, whatever else is asked for', optional: true })
  transformationNeeded?: boolean;
}
