/** Finds many words in a text in one pass (Aho and Corasick 1975). Symbols are integers. */
interface WordAutomaton {
  /** The state after a state and a symbol; 0 is the start. */
  next: (state: number, symbol: number) => number
  /** The value of the longest word that ends in this state; 0 if none does. */
  longest: (state: number) => number
  size: number
}

/** A word as symbols, with a value that is above 0 and larger for longer words. */
interface AutomatonWord {
  symbols: ArrayLike<number>
  value: number
}

/**
 * Builds the automaton: a trie of all words, and for each state a fallback if the next symbol does not match. Time and
 * memory grow with the symbols of all words, and a walk takes at most two steps per symbol.
 *
 * Uses flat arrays instead of objects: no library on npm handles 10,000 words and 64 KiB in 10 ms
 * (docs/benchmarks.md#libraries-that-were-measured).
 */
export function buildAutomaton(words: readonly AutomatonWord[]): WordAutomaton {
  const max = words.reduce((sum, { symbols }) => sum + symbols.length, 1)
  const edges = createEdges(max)
  const parent = new Int32Array(max)
  const symbolTo = new Int32Array(max)
  const depth = new Int32Array(max)
  const longest = new Int32Array(max)
  let size = 1
  for (const { symbols, value } of words) {
    let state = 0
    for (let i = 0; i < symbols.length; i++) {
      const symbol = symbols[i] ?? 0
      let next = edges.find(state, symbol)
      if (next === 0) {
        next = size++
        edges.add(state, symbol, next)
        parent[next] = state
        symbolTo[next] = symbol
        depth[next] = i + 1
      }
      state = next
    }
    longest[state] = value
  }

  /** Fallback of each state: the state of the longest suffix of its path that begins a word. */
  const fallback = new Int32Array(size)
  function next(state: number, symbol: number): number {
    for (let from = state; ; from = fallback[from] ?? 0) {
      const to = edges.find(from, symbol)
      if (to !== 0 || from === 0) return to
    }
  }
  for (const state of byDepth(depth, size)) {
    const from = parent[state] ?? 0
    fallback[state] = from === 0 ? 0 : next(fallback[from] ?? 0, symbolTo[state] ?? 0)
    if (longest[state] === 0) longest[state] = longest[fallback[state] ?? 0] ?? 0
  }
  const ends = longest.slice(0, size)
  return { next, longest: (state) => ends[state] ?? 0, size }
}

/**
 * The edges of the trie in a hash table with open addressing. 0 marks a free slot, since no edge leads to the start.
 */
function createEdges(max: number) {
  const mask = 2 ** Math.ceil(Math.log2(max * 2)) - 1
  const from = new Int32Array(mask + 1)
  const by = new Int32Array(mask + 1)
  const to = new Int32Array(mask + 1)
  function slot(state: number, symbol: number): number {
    const mixed = Math.imul(state, 0x9e_37_79_b1) ^ Math.imul(symbol, 0x85_eb_ca_6b)
    let at = (mixed ^ (mixed >>> 15)) & mask
    while (to[at] !== 0 && (from[at] !== state || by[at] !== symbol)) at = (at + 1) & mask
    return at
  }
  return {
    /** The target of the edge; 0 if there is none. */
    find: (state: number, symbol: number): number => to[slot(state, symbol)] ?? 0,
    add(state: number, symbol: number, next: number): void {
      const at = slot(state, symbol)
      from[at] = state
      by[at] = symbol
      to[at] = next
    },
  }
}

/** All states except the start, in breadth-first order. */
function byDepth(depth: Int32Array, size: number): Int32Array {
  const counts = new Int32Array(size + 1)
  for (let state = 1; state < size; state++) counts[depth[state] ?? 0] = (counts[depth[state] ?? 0] ?? 0) + 1
  counts.forEach((count, i) => {
    counts[i] = count + (counts[i - 1] ?? 0)
  })
  const sorted = new Int32Array(size - 1)
  for (let state = 1; state < size; state++) {
    const before = (depth[state] ?? 0) - 1
    const at = counts[before] ?? 0
    sorted[at] = state
    counts[before] = at + 1
  }
  return sorted
}
