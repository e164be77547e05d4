import { useLayoutEffect, useRef } from 'preact/hooks'

/** Previews of chosen files, by upload key. Lost on reload. */
const previews = new Map<string, ImageBitmap>()
const sidePixels = 80

export function keepPreview(key: string, preview: ImageBitmap | undefined): void {
  if (preview) previews.set(key, preview)
}

export function dropPreview(key: string): void {
  previews.get(key)?.close()
  previews.delete(key)
}

/** A small square preview, cut from the middle of a picture. */
export function squareOf(picture: ImageBitmap): Promise<ImageBitmap> {
  const { width, height } = picture
  const side = Math.min(width, height)
  const [left, top] = [Math.floor((width - side) / 2), Math.floor((height - side) / 2)]
  return createImageBitmap(picture, left, top, side, side, { resizeWidth: sidePixels, resizeHeight: sidePixels })
}

export const hasPreview = (key: string): boolean => previews.has(key)

/** Drawn on a canvas, since a URL of the file would need a wider CSP. */
export function Preview({ of }: { of: string }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useLayoutEffect(() => {
    const preview = previews.get(of)
    if (preview) canvas.current?.getContext('2d')?.drawImage(preview, 0, 0, sidePixels, sidePixels)
  }, [of])
  return <canvas ref={canvas} class="file-preview" width={sidePixels} height={sidePixels} aria-hidden="true" />
}
