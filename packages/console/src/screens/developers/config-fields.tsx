import { useMemo } from 'react'
import { type Columns, column, DataTable } from '../../components/data-table.tsx'
import { useTexts } from '../../texts/texts.ts'
import { type Field, fieldsOf } from './config-schema.ts'
import { developersTexts } from './texts.ts'

/** The fields of a configuration key's value, from the contract. */
export function ConfigFields({ name }: { name: string }) {
  const t = useTexts(developersTexts)
  const fields = useMemo(() => fieldsOf(name), [name])
  const columns = useMemo<Columns<Field>>(
    () => [
      column('field', t.field, (row) => <code>{row.path || t.wholeValue}</code>),
      column('type', t.type, (row) => row.type),
      column('meaning', t.meaning, (row) =>
        [row.isRequired && row.path !== '' && `${t.required}.`, row.about].filter(Boolean).join(' '),
      ),
    ],
    [t],
  )
  if (fields.length === 0) return null
  return (
    <details className="change">
      <summary>{t.fields}</summary>
      <DataTable label={t.fields} columns={columns} rows={fields} keyOf={({ path }) => path} />
    </details>
  )
}
