!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  "asc.printf"(%x) {form = "desc: text, arguments: rest", format = "shown", at = "6:4"} : (!float) -> ()
}) {sym_name = "factor_of_a_float", parameters = ["n", "m", "x"]} : () -> ()
