export interface Invoice {
  id: string;
  to: string;
  total: number;
}

export async function fetchInvoice(id: string): Promise<Invoice> {
  return { id, to: 'Contoso', total: id.startsWith('BIG') ? 9_400 : 120 };
}

export async function pay(invoice: Invoice): Promise<void> {
  console.log(`paid ${invoice.total} EUR to ${invoice.to}`);
}
