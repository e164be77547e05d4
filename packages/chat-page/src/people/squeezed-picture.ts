/** The server's limit for a cover. */
const mostChars = 2_048
/** Sizes in pixels and qualities to try, from best to smallest. */
const tries = [96, 80, 64, 48, 32].flatMap((side) => [0.7, 0.5, 0.3].map((quality) => ({ side, quality })))

/**
 * Crops and scales a picture to a small data URL, which needs no storage and passes the page's CSP.
 * @returns undefined for a file that the browser cannot decode, or cannot make small enough
 */
export async function squeezed(file: Blob): Promise<string | undefined> {
  const picture = await createImageBitmap(file).catch(() => undefined)
  if (!picture) return undefined
  const whole = Math.min(picture.width, picture.height)
  const canvas = document.createElement('canvas')
  for (const { side, quality } of tries) {
    canvas.width = canvas.height = side
    const context = canvas.getContext('2d')
    // White background for transparent pictures.
    if (context) context.fillStyle = '#ffffff'
    context?.fillRect(0, 0, side, side)
    const [left, top] = [(picture.width - whole) / 2, (picture.height - whole) / 2]
    context?.drawImage(picture, left, top, whole, whole, 0, 0, side, side)
    const webp = canvas.toDataURL('image/webp', quality)
    // Safari has no encoder for WebP, and makes a PNG instead.
    const url = webp.startsWith('data:image/webp') ? webp : canvas.toDataURL('image/jpeg', quality)
    if (url.length <= mostChars) return url
  }
  return undefined
}
