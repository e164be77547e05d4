/** Whether a key is of an input method. Safari ends the composition before the key that ends it: only its 229 shows that. */
export function isComposing({ isComposing, keyCode }: KeyboardEvent): boolean {
  return isComposing || keyCode === 229
}
