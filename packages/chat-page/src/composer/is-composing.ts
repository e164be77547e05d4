/** A key event. React wraps the browser's. */
interface Key extends Pick<KeyboardEvent, 'isComposing' | 'keyCode'> {
  nativeEvent?: KeyboardEvent
}

/**
 * Whether a key belongs to an input method. Safari ends the composition before the key that ends it, which only its key
 * code 229 reveals.
 */
export function isComposing(event: Key): boolean {
  const { isComposing, keyCode } = event.nativeEvent ?? event
  return isComposing || keyCode === 229
}
