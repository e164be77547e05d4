/** A key's event; React has the browser's own inside of its. */
interface Key extends Pick<KeyboardEvent, 'isComposing' | 'keyCode'> {
  nativeEvent?: KeyboardEvent
}

/** Whether a key is of an input method. Safari ends the composition before the key that ends it: only its 229 shows that. */
export function isComposing(event: Key): boolean {
  const { isComposing, keyCode } = event.nativeEvent ?? event
  return isComposing || keyCode === 229
}
