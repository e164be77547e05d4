import { InvalidArgumentError } from 'commander'

/** Makes a reader of a command line's whole number from `min` to `max`. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (text.trim() !== '' && Number.isInteger(number) && number >= min && number <= max) return number
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
  }
}

/** Makes a reader of a command line's whole numbers with commas between them, each from `min` to `max`. */
export function wholeNumbers(min: number, max: number): (text: string) => number[] {
  const read = wholeNumber(min, max)
  return (text) => text.split(',').map(read)
}
