/** The server takes covers of this many characters. */
const mostChars = 2_048
/** Sides in pixels, and qualities, from good to small enough. */
const tries = [96, 80, 64, 48].flatMap((side) => [0.7, 0.5, 0.3].map((quality) => ({ side, quality })))

/**
 * The middle of a picture as a small data URL, which needs no place on a server and passes the policy of the page.
 * @returns undefined for a file that the browser does not show as a picture
 */
export async function squeezed(file: Blob): Promise<string | undefined> {
  const picture = await createImageBitmap(file).catch(() => undefined)
  if (!picture) return undefined
  const whole = Math.min(picture.width, picture.height)
  const canvas = document.createElement('canvas')
  for (const { side, quality } of tries) {
    canvas.width = canvas.height = side
    const context = canvas.getContext('2d')
    // JPEG has no transparency: it would be black.
    if (context) context.fillStyle = '#ffffff'
    context?.fillRect(0, 0, side, side)
    const [left, top] = [(picture.width - whole) / 2, (picture.height - whole) / 2]
    context?.drawImage(picture, left, top, whole, whole, 0, 0, side, side)
    const url = canvas.toDataURL('image/webp', quality)
    if (url.length <= mostChars) return url
  }
  return undefined
}
