/** The invoices of this example; yours come from wherever they are kept. */
export const invoices = new Map([
  [
    'INV-1042',
    {
      supplier: 'Lindgren Freight',
      lines: [
        { what: 'Sea freight, March', amount_eur: 4_820 },
        { what: 'Customs handling', amount_eur: 1_420.5 },
      ],
    },
  ],
  ['INV-1043', { supplier: 'Paper & Sons', lines: [{ what: 'Envelopes', amount_eur: 118.4 }] }],
]);
